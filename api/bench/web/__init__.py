"""One page of standings, served by us and by small applications of our peers on one database."""
