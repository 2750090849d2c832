"""Rules about failures of whoever answered: networks trained here, models that were asked, people. Any kind of study
has them (``unseen results STUDY --rules``); a page of weaknesses shows them."""
