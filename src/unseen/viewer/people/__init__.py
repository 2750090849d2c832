"""`unseen ask`: a local page that runs a study's experiment with people."""
