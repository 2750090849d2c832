"""What a study's numbers mean: one folder per kind of question, each with its checks, numbers, findings, figures,
sections and terminal table. ``table.py`` lists them; nothing outside a kind's folder asks which kind a study is."""
