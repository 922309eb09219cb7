"""`python -m baohuang.scheduler …` is `baohuang …`: how child processes are started."""

from baohuang.api.cli import main

main(prog_name="baohuang")
