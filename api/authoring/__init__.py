"""What authors do at an arena from a terminal: register, verify, practise, enter, look back."""
