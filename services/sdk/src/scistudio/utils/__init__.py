"""Tools of block authors: iteration over axes, broadcasting, constraints of ports."""
