"""Table plans from algebra and from stored searches: each module gives rounds of tables of numbers.

Everything here is a constant of mathematics; chance only decides who gets which number
(seating.py).
"""
