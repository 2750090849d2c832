"""A local web page over studies: their trials, numbers, images, and what networks said of them. It changes nothing.

:mod:`app` says which address answers what, ``shelf`` holds the studies, one module each gives what a page shows as
plain data, and ``page`` is the page itself: scripts and styles as the browser reads them, with no build step.
"""
