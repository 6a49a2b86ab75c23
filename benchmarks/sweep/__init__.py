"""Random calls beside the peers: how fast shapes are that nobody has named."""
