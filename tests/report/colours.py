# SPDX-License-Identifier: Apache-2.0
"""Colours as people see them: contrast, and distances in the three kinds of colour blindness (Machado et al. 2009, CIE 1976)."""
import itertools
import math

SEEN = {"all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
        "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
        "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))}


def linear(colour):
    """Of #rrggbb or #rgb."""
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(c * 2 for c in digits)
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def contrast(one, other):
    light, dark = sorted((0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    rows = ((0.4124564, 0.3575761, 0.1804375, 0.95047), (0.2126729, 0.7151522, 0.0721750, 1), (0.0193339, 0.1191920, 0.9503041, 1.08883))
    x, y, z = ((t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116)
               for t in (sum(a * b for a, b in zip(row, rgb)) / row[3] for row in rows))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def nearest(colours):
    """The smallest distance of two of the named colours for anybody, and whose it is."""
    found = []
    for kind, matrix in SEEN.items():
        labs = {name: lab([min(1, max(0, sum(a * b for a, b in zip(row, linear(value))))) for row in matrix]) for name, value in colours.items()}
        found += [(math.dist(labs[a], labs[b]), kind, a, b) for a, b in itertools.combinations(labs, 2)]
    return min(found)
