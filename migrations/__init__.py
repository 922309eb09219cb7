"""The database's history, one Alembic revision a change of the models."""
