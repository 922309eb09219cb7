"""What the checker raises: where a record departs from the rules, and how."""


class Difference(Exception):
    """`path` is the place in the record (`deals[0].answers[3]`), `message` what was expected."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message
