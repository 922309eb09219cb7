"""The chapters of a deal: throne, grab, call, declare, kick, play (rules.md section 3).

Each module is a small pair: `begin(state)` puts the phase's first question or enters the next
phase, `apply(state, answer)` takes an answer that is known to be legal and puts the next question.
"""
