#!/usr/bin/env perl
# A bot for Baohuang Arena in one file, with Perl's own modules alone: plays its lowest card.
#
# AGENT_SECRET=whsec_… perl agent.pl 9000        # port 0 takes a free one and prints it

use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 sha256);
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64 qw(decode_base64 encode_base64);
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my $KEY = signing_key($ENV{AGENT_SECRET});
my ($MAX_HEAD, $MAX_BODY) = (16_384, 1_000_000);    # bytes; a request has a few thousand
my @NEEDED = qw(phase hand public trick history legal fallback);
my $JSON = JSON::PP->new->utf8;

# The key in a secret. Undefined: nothing is checked. What is no secret ends the program.
sub signing_key {
    my ($secret) = @_;
    if (!defined $secret) { warn "AGENT_SECRET is not set: this bot believes every caller.\n"; return }
    my $key = decode_base64($secret =~ s/\Awhsec_//r);    # reads over what is no base64
    my $whole = 'whsec_' . encode_base64($key, '') eq $secret;
    return $key if $whole && length $key >= 24 && length $key <= 64;
    die "AGENT_SECRET is set, but is no secret of the form whsec_...; nothing is started.\n";
}

# Your bot: any one of $request->{legal}, which is sorted, the lowest cards first.
sub choose {
    my ($request) = @_;
    return 'accept' if grep { $_ eq 'accept' } @{ $request->{legal} };    # or no deal is played
    return $request->{fallback} if $request->{phase} ne 'play';
    return (grep { $_ ne 'pass' } @{ $request->{legal} })[0];
}

# Status and answer. To the notices deal_end and match_end nothing is expected.
sub respond {
    my ($headers, $body) = @_;
    return (401, { error => 'the signature does not fit' })
        if defined $KEY && !signed($headers, $body);
    my $asked = eval { $JSON->decode($body) };
    $asked = {} if ref $asked ne 'HASH';
    my ($kind, $name) = ($asked->{kind} // '', $asked->{request});
    return (200, { request => $name, challenge => $asked->{challenge} })
        if $kind eq 'hello' && defined $asked->{challenge};
    return (200, { request => $name, answer => choose($asked) })
        if $kind eq 'decide' && !grep { !exists $asked->{$_} } @NEEDED;
    return (200, {}) if $kind eq 'deal_end' || $kind eq 'match_end';
    return (400, { error => 'not a request of bot protocol 1' });
}

# Standard Webhooks: ours and recent; one fitting signature of several is enough.
sub signed {
    my ($headers, $body) = @_;
    my $stamp = $headers->{'webhook-timestamp'} // '';
    return 0 if $stamp !~ /\A[0-9]+\z/ || abs(time - $stamp) > 300;
    my $text = ($headers->{'webhook-id'} // '') . ".$stamp.$body";
    my $right = sha256('v1,' . encode_base64(hmac_sha256($text, $KEY), ''));
    # Digests are compared, so that the time it takes tells nothing.
    return grep { sha256($_) eq $right } split / /, $headers->{'webhook-signature'} // '';
}

# The head of a request as its method and a hash of headers; nothing when the caller is gone.
sub read_head {
    my ($caller) = @_;
    my $head = '';
    until ($head =~ /\r\n\r\n\z/) {
        my $byte = getc $caller;
        return if !defined $byte || length $head >= $MAX_HEAD;
        $head .= $byte;
    }
    my ($first, @lines) = split /\r\n/, $head;
    my ($method) = $first =~ /\A([A-Z]+) / or return;
    return ($method, { map { my ($name, $value) = split /:\s*/, $_, 2; (lc $name, $value // '') } @lines });
}

# Answers on one connection until the caller closes it: kept ones save a handshake a decision.
sub serve {
    my ($caller) = @_;
    setsockopt $caller, IPPROTO_TCP, TCP_NODELAY, 1;
    alarm 600;    # a silent connection ends
    while (my ($method, $headers) = read_head($caller)) {
        my $length = $headers->{'content-length'} // 0;
        return if $length !~ /\A[0-9]{1,7}\z/ || $length > $MAX_BODY;
        my $got = $length ? read($caller, my $body, $length) : 0;
        return if !defined $got || $got < $length;
        my ($status, $answer) = (405, { error => 'only POST' });
        if ($method eq 'POST') {
            # A mistake of yours must not end the program.
            eval { ($status, $answer) = respond($headers, $body // ''); 1 }
                or do { warn $@; ($status, $answer) = (500, { error => 'internal' }) };
        }
        my $text = $JSON->encode($answer);
        print {$caller} "HTTP/1.1 $status Answer\r\nContent-Type: application/json\r\n",
            'Content-Length: ', length $text, "\r\n\r\n", $text;
        $caller->flush;
        alarm 600;
    }
}

$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
my $server = IO::Socket::INET->new(
    LocalAddr => $ENV{HOST} // '127.0.0.1', LocalPort => $ARGV[0] // 9000,
    Listen => 256, ReuseAddr => 1,
) or die "cannot listen: $@\n";
$| = 1;
print $server->sockport, "\n";
while (1) {
    my $caller = $server->accept or next;
    my $child = fork;
    if (!defined $child) { warn "cannot fork: $!\n"; sleep 1; next }
    if (!$child) { serve($caller); exit }
}
