"""Every option of rules.md section 8 with a readable description of its value."""

from __future__ import annotations

from dataclasses import dataclass

from ..rules import RuleSet, Value

Pair = tuple[str, str]
"""(English, Chinese)."""


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option of a resolved rule set, in words. `value` is None where it does not apply."""

    name: str
    value: Value
    english: str
    chinese: str


def describe(rules: RuleSet) -> tuple[OptionText, ...]:
    """All options of `rules`, in the order of rules.md section 8."""
    return tuple(
        OptionText(name, value, *_words(name, value)) for name, value in rules.options().items()
    )


def _words(name: str, value: Value) -> Pair:
    if value is None:
        return NOT_APPLICABLE
    if name in NUMBERS:
        english, chinese = NUMBERS[name]
        return english.format(value), chinese.format(value)
    return WORDS[name][value]


NOT_APPLICABLE: Pair = ("Does not apply here.", "不适用。")

NUMBERS: dict[str, Pair] = {
    "autoplay_limit": (
        "A seat that the server played for more than {0} times in a deal stays on autoplay to the "
        "end of that deal.",
        "一局中被托管超过 {0} 次的座位，托管到本局结束。",
    ),
    "desertion_penalty": (
        "Leaving or being expelled during a match costs {0} points, once.",
        "中途离开或被请出，扣 {0} 分，只扣一次。",
    ),
}

WORDS: dict[str, dict[Value, Pair]] = {
    "low_rank": {
        3: ("216 cards: four packs, from the threes to the twos.", "四副牌 216 张，最小是 3。"),
        6: ("168 cards: 3, 4 and 5 are taken out.", "去掉 3、4、5，共 168 张，最小是 6。"),
    },
    "direction": {
        "clockwise": ("Tables are drawn clockwise.", "按顺时针方向出牌。"),
        "anticlockwise": ("Tables are drawn anticlockwise.", "按逆时针方向出牌。"),
    },
    "aside": {
        True: (
            "One big joker, the emperor card, is laid aside; a drawn seat is offered the throne "
            "with it.",
            "保留一张大王作皇牌，随机一个座位先得到皇位。",
        ),
        False: (
            "The emperor card is dealt; its holder is offered the throne.",
            "皇牌发给玩家，抓到的人先得到皇位。",
        ),
    },
    "guard": {
        "called": (
            "The emperor calls a card of which he shows three; the fourth makes its holder guard.",
            "皇帝用三张同花色同点数的牌叫侍卫，持第四张的人是侍卫。",
        ),
        "marked": (
            "The holder of the guard card, a marked small joker, is the guard.",
            "抓到侍卫牌（有标记的小王）的人是侍卫。",
        ),
    },
    "callable": {
        "any": ("Any card but jokers may be called.", "除王外都可以叫。"),
        "no_twos": ("Any card but jokers and twos may be called.", "王和 2 不能叫。"),
        "jokers_too": ("Jokers may be called too.", "大王、小王也可以叫。"),
    },
    "called_trump": {
        True: (
            "The fourth copy of the called card becomes the called trump, above the big jokers.",
            "所叫的第四张牌成为特画，比大王还大。",
        ),
        False: ("The called card keeps its rank.", "所叫的牌大小不变。"),
    },
    "yield_to": {
        "previous": ("A yielded throne goes to the previous seat.", "皇位让给上家。"),
        "after_next": (
            "A yielded throne goes to the seat after next, then on to the next ones.",
            "皇位先扔给下面隔一个的人，再往下顺延。",
        ),
    },
    "gift": {
        "none": ("Refusing the throne costs nothing.", "让位不用贴牌。"),
        "two": (
            "From the second refusal on the refuser adds one two, if he has one.",
            "从第二个让位的人起，贴一张 2，没有则免。",
        ),
        "two_or_highest": (
            "From the second refusal on the refuser adds one two, or his highest card that is no "
            "joker.",
            "从第二个让位的人起，贴一张 2；没有 2 则贴王以外最大的牌。",
        ),
    },
    "refused_by_all": {
        "forced_second_round": (
            "When all five refused there is a second round, in which the first seat must accept if "
            "it holds exactly three alike of a card it may call; after two rounds: redeal.",
            "一轮无人当皇帝则再传一轮，首家若恰有三张可叫的同样牌必须登基；两轮后重新发牌。",
        ),
        "second_round": (
            "When all five refused there is a second round; after two rounds: redeal.",
            "一轮无人当皇帝则再传一轮；两轮后重新发牌。",
        ),
        "ask_first_again": (
            "When all five refused the first seat is asked once more, with all gifts; then: redeal.",
            "五家都放弃后再问首家一次（连同所贴的牌）；仍放弃则此局作废，重新发牌。",
        ),
        "force_exact_three": (
            "When all five refused, the first who holds exactly three alike of a card he may call "
            "must take the throne; nobody does: redeal.",
            "五家都放弃后逼位：从首家起，第一个恰有三张同样牌的人必须叫庄；都没有则重新发牌。",
        ),
        "redeal": ("When all five refused: redeal.", "五家都放弃则重新发牌。"),
        "abdicate": (
            "Only a holder of both marked cards may throw the emperor card away; if nobody takes "
            "it he loses as a solo that came last.",
            "只有同时拿到皇牌和侍卫牌的人可以弃皇；无人接则按独保最后一名判负。",
        ),
    },
    "grab": {
        True: (
            "After the throne is accepted others may grab it for an open solo.",
            "可以抢独。",
        ),
        False: ("The throne cannot be grabbed.", "不可以抢独。"),
    },
    "open_solo": {
        "declare": ("An open solo is declared.", "明独由皇帝声明。"),
        "show_four": ("An open solo is shown with four cards alike.", "亮出四张同样的牌为明独。"),
        "none": ("There is no open solo.", "没有明独。"),
    },
    "open_guard": {
        True: ("The guard may show himself; that doubles the stakes.", "侍卫可以明保，分数加倍。"),
        False: ("The guard stays secret.", "没有明保。"),
    },
    "rebellion": {
        True: (
            "Rebels may rebel; two of them force the guard into the open and double the stakes.",
            "可以造反：两人造反则侍卫亮明身份，分数加倍。",
        ),
        False: ("There is no rebellion.", "没有造反。"),
    },
    "kick": {
        True: ("The side that was shown up may kick: one more doubling.", "可以踢：再加倍一次。"),
        False: ("There is no kick.", "没有踢。"),
    },
    "roast": {
        True: (
            "Roast: two big jokers or three small ones beat a big joker, two small ones a small "
            "joker.",
            "烤牌：两张大王或三张小王打一张大王，两张小王打一张小王。",
        ),
        False: ("No roast.", "没有烤牌。"),
    },
    "three_twos": {
        True: ("Three twos beat a big joker.", "三个 2 可以打一个大王。"),
        False: ("Twos are an ordinary rank.", "2 只是普通点数。"),
    },
    "hold_back": {
        True: (
            "The lowest rank goes out last, all at once; jokers may go with it.",
            "最小点数的牌必须留到最后一手一次出完，可以带王。",
        ),
        False: ("The lowest rank may be played at any time.", "最小点数的牌随时可出。"),
    },
    "pass_lock": {
        True: ("Who passed stays out until the trick is over.", "过牌后本轮不准再上。"),
        False: ("Who passed may play again when his turn comes.", "过牌后轮到时仍可再出。"),
    },
    "heir": {
        "next": (
            "When the winner of a trick is out, the next seat with cards leads.",
            "赢得一轮的人已出完，由其下家（有牌者）接风。",
        ),
        "teammate": (
            "When the winner of a trick is out, his known team-mate leads, else the next seat with "
            "cards.",
            "赢得一轮的人已出完，由身份已明的队友接风，否则由下家接风。",
        ),
    },
    "end": {
        "side_out": ("A deal ends when one side is out.", "一方先出完牌则本局结束。"),
        "one_left": ("A deal ends when one seat is left.", "只剩一家有牌时本局结束。"),
    },
    "scores": {
        "lianzhong": (
            "Scores 6 - (places), solo 12, open solo 24.",
            "联众计分；独保 12，明独 24。",
        ),
        "wuren": ("Scores by place points 4 2 0 -2 -4.", "名次分 4、2、0、-2、-4。"),
        "biesan": ("Scores by win, draw and loss.", "只分胜、平、负。"),
        "jingji": (
            "Scores 6 - (places), solo 16 8 0 -8 -16.",
            "竞技计分；独保 16、8、0、-8、-16。",
        ),
    },
    "tribute": {
        True: ("The losers of a deal pay tribute in the next one.", "有进贡。"),
        False: ("No tribute.", "没有进贡。"),
    },
    "tribute_jokers": {
        True: ("The highest cards are paid, jokers too.", "进贡最大的牌，包括王。"),
        False: ("The highest cards that are no jokers are paid.", "进贡王以外最大的牌。"),
    },
    "autoplay_dissolves": {
        True: (
            "A table with a seat on autoplay at the end of a deal is dissolved.",
            "一局结束时若有人托管，则牌桌解散。",
        ),
        False: ("Autoplay never dissolves a table.", "托管不会解散牌桌。"),
    },
}
