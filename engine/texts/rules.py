"""The full rules of one rule set, in words, section by section (rules.md sections 2 to 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..rules import RuleSet
from ..scoring import OPEN_SOLO_LIANZHONG, SOLO
from .options import NUMBERS, WORDS, Pair

LANGUAGES = ("en", "zh")


def rules_text(rules: RuleSet, language: str) -> str:
    """The rules as Markdown, in `en` or `zh`. ValueError for another language."""
    if language not in LANGUAGES:
        raise ValueError(f"no text in {language!r}; languages: {', '.join(LANGUAGES)}")
    side = LANGUAGES.index(language)
    parts = [
        f"# 保皇 (Bao Huang), {rules.preset}" if language == "en" else f"# 保皇：{rules.preset}"
    ]
    for title, sentences in SECTIONS:
        found = [pair[side] for pair in sentences(rules)]
        if found:
            parts += [f"## {title[side]}", *(f"- {sentence}" for sentence in found)]
    return "\n".join(parts) + "\n"


def _option(rules: RuleSet, *names: str) -> Iterator[Pair]:
    """The sentences of options that apply."""
    values = rules.options()
    for name in names:
        if values[name] is not None:
            yield WORDS[name][values[name]]


def _cards(rules: RuleSet) -> Iterator[Pair]:
    yield from _option(rules, "low_rank")
    yield (
        "Five players. There are four big jokers (X) and four small ones (x).",
        "五人游戏，有四张大王（X）和四张小王（x）。",
    )
    top = "called trump > " if rules.called_trump else ""
    trump = "特画 > " if rules.called_trump else ""
    middle = "2 A K Q J 10 9 8 7 6" + (" 5 4 3" if rules.low_rank == 3 else "")
    yield (
        f"From high to low: {top}big joker > small joker > {middle}. Suits do not matter in play.",
        f"从大到小：{trump}大王 > 小王 > {middle}。出牌时不分花色。",
    )
    yield from _option(rules, "direction")


def _dealing(rules: RuleSet) -> Iterator[Pair]:
    count = (216 if rules.low_rank == 3 else 168) - rules.aside
    hands, more = divmod(count, 5)
    extra_en = f"; the first {more} seats get one more" if more > 1 else ""
    extra_en = "; the first seat gets one more" if more == 1 else extra_en
    extra_zh = f"，先发到的 {more} 家各多一张" if more else ""
    yield (
        "One card at a time in playing order, from seat 0 in the first deal and from the last "
        f"emperor afterwards; {hands} cards each{extra_en}.",
        f"逐张发牌；第一局从 0 号座位开始，以后从上局皇帝开始；每人 {hands} 张{extra_zh}。",
    )
    yield from _option(rules, "aside", "tribute")
    if rules.tribute:
        yield from _tribute(rules)


def _tribute(rules: RuleSet) -> Iterator[Pair]:
    yield from _option(rules, "tribute_jokers")
    yield (
        "If the emperor's side won, each rebel gives one card; the guard gets the middle one, the "
        "emperor the other two.",
        "保皇派胜：三家各进贡一张，侍卫得中间的一张，皇帝得另外两张。",
    )
    yield (
        "If it lost, the emperor gives two cards and the guard one; the rebels take them from high "
        "to low in the order in which they went out.",
        "保皇派负：皇帝进贡两张、侍卫一张，革命党按走客顺序从大到小吃贡。",
    )
    yield (
        "A solo that won takes one card of each, one that lost gives one to each; an open solo "
        "twice as many. Nothing is paid after a draw, and nothing is returned.",
        "独保胜：其余各家进贡一张；独保负：给各家一张；明独加倍。平局不进贡，不还贡。",
    )


def _throne(rules: RuleSet) -> Iterator[Pair]:
    yield (
        "The seat that is offered the throne accepts or yields; the emperor card travels with it.",
        "得到皇位的人可以登基或让位，皇牌随皇位传递。",
    )
    yield from _option(rules, "yield_to", "gift", "refused_by_all")
    if rules.guard == "called" and rules.open_solo != "declare":
        yield (
            "Who has no three alike that he may call cannot accept.",
            "没有三张可叫的同样牌的人不能登基。",
        )
    yield from _option(rules, "grab")
    if rules.grab:
        yield (
            "The emperor may declare an open solo first; then the others are asked, from the "
            "previous seat on. Cards stay where they are.",
            "皇帝优先明独，然后从上家方向依次询问；牌不移动。",
        )


def _guard(rules: RuleSet) -> Iterator[Pair]:
    yield from _option(rules, "guard", "callable", "called_trump", "open_solo")
    if rules.guard == "marked":
        yield (
            "An emperor who holds the guard card himself plays alone: a hidden solo unless he "
            "says so.",
            "皇帝自己持有侍卫牌为独保；不声明则为暗独。",
        )
    else:
        yield (
            "An emperor who holds the fourth card too plays a hidden solo; nobody is told.",
            "皇帝自己持有第四张牌为暗独，别人不知道。",
        )
    yield (
        "The guard becomes public when he shows himself, by a rebellion, or when he plays his card.",
        "侍卫在明保、造反成功或打出侍卫牌时公开身份。",
    )


def _declarations(rules: RuleSet) -> Iterator[Pair]:
    if not (rules.open_guard or rules.rebellion):
        return
    yield (
        "Before the first lead the others are asked in playing order; in an open solo nobody is.",
        "首次出牌前按出牌顺序询问其余各家；明独时不问。",
    )
    yield from _option(rules, "open_guard", "rebellion")
    if rules.rebellion:
        yield (
            "After a first rebel the silent ones are asked once more. Stakes double once, for "
            "either reason.",
            "有人首先造反后，未表态的人再问一次。明保或造反，只加倍一次。",
        )
    yield from _option(rules, "kick") if rules.kick else ()


def _play(rules: RuleSet) -> Iterator[Pair]:
    yield (
        "The emperor leads. The leader must play; the others beat it or pass.",
        "皇帝先出；领牌者必须出牌，其余各家压牌或过牌。",
    )
    yield (
        "A set is one or more cards of one rank with any number of jokers, or jokers alone.",
        "一套牌是同点数的一张或多张，可以挂任意张王；也可以只出王。",
    )
    yield (
        "A set is beaten by as many cards, each strictly higher than the one opposite when both "
        "are sorted. Jokers keep their rank: x66 does not beat 666, x77 does.",
        "压牌须张数相同，从大到小排列后每一张都大于对应的牌。王不能当别的牌用：小王66 不能压 666，小王77 可以。",
    )
    yield ("No runs, no bombs.", "没有顺子，没有炸弹。")
    yield from _option(rules, "roast", "three_twos", "hold_back", "pass_lock", "heir")
    yield (
        "A trick ends when all others with cards have passed; its winner leads.",
        "其余有牌的各家都过牌则一轮结束，赢家领出。",
    )


def _end(rules: RuleSet) -> Iterator[Pair]:
    yield from _option(rules, "end")
    yield (
        "Places go by the order of going out; e and g are the places of emperor and guard.",
        "按出完的先后排名次；e、g 为皇帝和侍卫的名次。",
    )
    yield from _pair_scores(rules.scores)
    yield from _solo_scores(rules)
    if rules.open_guard or rules.rebellion:
        yield ("A doubling multiplies all scores of the deal.", "加倍时本局所有分数都加倍。")


def _pair_scores(table: str) -> Iterator[Pair]:
    if table == "biesan":
        yield (
            "Places 1 and 2 or 1 and 3 win: emperor +2, guard +1, rebels -1 each. Places 2 and 3 "
            "draw. All else loses as much.",
            "皇帝和侍卫得一、二名或一、三名为胜：皇帝 +2，侍卫 +1，其余各 -1；二、三名为平；其余为负，分数相反。",
        )
    else:
        yield (
            "Guard 6 - (e + g), emperor twice that, each rebel minus the guard's.",
            "侍卫得 6 - (e + g)，皇帝加倍，起义军各得相反数。",
        )


def _solo_scores(rules: RuleSet) -> Iterator[Pair]:
    figures = " ".join(f"{4 * each:+d}" if each else "0" for each in SOLO[rules.scores])
    yield (
        f"Hidden solo, by the emperor's place 1 to 5: {figures}; each other seat a quarter of the "
        "opposite.",
        f"暗独按皇帝名次 1 至 5：{figures}；其余各家各得相反数的四分之一。",
    )
    if rules.open_solo == "none":
        return
    if rules.scores == "lianzhong":
        points = 4 * OPEN_SOLO_LIANZHONG
        yield (
            f"Open solo: +{points} if the emperor is first, else -{points}; it ends when anyone is "
            "out.",
            f"明独：皇帝第一 +{points}，否则 -{points}；有人出完即结束。",
        )
    else:
        yield ("Open solo: twice as much.", "明独加倍。")


def _absence(rules: RuleSet) -> Iterator[Pair]:
    yield (
        "For a seat that does not answer in time the server answers: accept only if forced, say "
        "nothing, lead the lowest single card, else pass.",
        "未及时应答由系统托管：非强制不登基，不声明，领牌出最小单张，否则过牌。",
    )
    for name, (english, chinese) in NUMBERS.items():
        value = rules.options()[name]
        yield english.format(value), chinese.format(value)
    yield (
        "A deal in which all five seats end on autoplay does not count.",
        "五家都托管的一局不计分。",
    )
    yield from _option(rules, "autoplay_dissolves")


SECTIONS: tuple[tuple[Pair, Callable[[RuleSet], Iterator[Pair]]], ...] = (
    (("Cards", "用牌"), _cards),
    (("Dealing", "发牌"), _dealing),
    (("The throne", "皇位"), _throne),
    (("The guard", "侍卫"), _guard),
    (("Declarations", "声明"), _declarations),
    (("Play", "出牌"), _play),
    (("End and scores", "结束与计分"), _end),
    (("Absence", "托管与离开"), _absence),
)
