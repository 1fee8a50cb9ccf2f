"""The part of stallscope that rides along in the user's PyTorch program. Needs nothing but their torch (1.13 or later)."""
