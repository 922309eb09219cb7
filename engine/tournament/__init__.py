"""Seats and standings of tournaments for tables of five: values in, values out."""
