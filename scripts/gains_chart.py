# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured gains as SVG, in the look of `proofline plot` (docs/gains.svg).

A gain is a vertical bar from the lowest to the highest prediction at the place of what was measured: it
holds where it crosses the diagonal. One that does not has a dot at the end that is nearer.
"""

from accuracy_parts import percent

LEFT, TOP, SIDE = 78, 98, 560
STYLE = (
    ".gains{font-family:sans-serif}.gains text{font-size:12px;fill:#1f2328}"
    ".gains .title{font-size:17px;font-weight:bold}.gains .soft{fill:#59636e}.gains .ground{fill:#fff}"
    ".gains .grid{stroke:#e6e9ed}.gains .frame{stroke:#8c959f}"
    ".gains .diagonal{stroke:#6e7781;stroke-width:1.5px;stroke-dasharray:6 4}"
    ".gains .s0{color:#0072b2}.gains .s1{color:#d55e00}.gains .s2{color:#009e73}"
    "@media (prefers-color-scheme:dark){.gains text{fill:#e6edf3}.gains .soft{fill:#9198a1}"
    ".gains .ground{fill:#0d1117}.gains .grid{stroke:#262c36}.gains .frame{stroke:#656c76}"
    ".gains .diagonal{stroke:#9198a1}.gains .s0{color:#58b2ec}.gains .s1{color:#ff8a3d}"
    ".gains .s2{color:#35cf9f}}")


def x(share):
    return f"{LEFT + SIDE * share:.1f}"


def y(share):
    return f"{TOP + SIDE * (1 - share):.1f}"


def bar(gain):
    text = f"predicted {percent(gain.low)} to {percent(gain.high)}, measured {percent(gain.measured)}"
    place = x(gain.measured)
    drawn = f'<path d="M{place} {y(gain.low)}V{y(gain.high)}"><title>{text}</title></path>'
    if gain.held:
        return drawn
    nearer = gain.high if gain.measured > gain.high else gain.low
    return drawn + f'<circle cx="{place}" cy="{y(nearer)}" r="4" fill="currentColor"/>'


def draw(series):
    """`series`: (name, gains) in order; at most three, since there are three colours."""
    bottom, right = TOP + SIDE, LEFT + SIDE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gains" role="img" aria-label="Gains, predicted against '
        f'measured" width="{right + 40}" height="{bottom + 92}" viewBox="0 0 {right + 40} {bottom + 92}">',
        f"<style>{STYLE}</style>",
        '<rect class="ground" width="100%" height="100%" rx="6"/>',
        '<text class="title" x="24" y="37">Gains, predicted against measured</text>',
    ]
    place = 24
    for number, (name, gains) in enumerate(series):
        words = f"{name}: {sum(one.held for one in gains)} of {len(gains)} hold"
        lines.append(f'<g class="s{number}"><path stroke="currentColor" stroke-width="3" d="M{place + 4} 56V72"/>'
                     f'<text x="{place + 14}" y="68">{words}</text></g>')
        place += 215
    for tick in range(0, 101, 20):
        share = tick / 100
        lines += [f'<path class="grid" fill="none" d="M{x(share)} {TOP}V{bottom}M{LEFT} {y(share)}H{right}"/>',
                  f'<text class="soft" x="{x(share)}" y="{bottom + 19}" text-anchor="middle">{tick} %</text>',
                  f'<text class="soft" x="{LEFT - 8}" y="{float(y(share)) + 4:.1f}" text-anchor="end">{tick} %</text>']
    middle = TOP + SIDE / 2
    lines += [
        f'<path class="frame" fill="none" d="M{LEFT} {TOP}V{bottom}H{right}"/>',
        f'<path class="diagonal" fill="none" d="M{LEFT} {bottom}L{right} {TOP}"/>',
        f'<text class="soft" x="{LEFT + SIDE / 2}" y="{bottom + 41}" text-anchor="middle">measured</text>',
        f'<text class="soft" x="22" y="{middle}" text-anchor="middle" transform="rotate(-90 22 {middle})">predicted</text>',
    ]
    for number, (_, gains) in enumerate(series):
        bars = "".join(bar(one) for one in sorted(gains, key=lambda one: one.measured))
        lines.append(f'<g class="s{number}" fill="none" stroke="currentColor" stroke-width="2.5" '
                     f'stroke-opacity="0.75" stroke-linecap="round">{bars}</g>')
    lines += [f'<text class="soft" x="24" y="{bottom + 64}">Share of the time that goes with the cause. A bar is the '
              "predicted range; it holds where it crosses</text>",
              f'<text class="soft" x="24" y="{bottom + 80}">the diagonal. A dot marks the end of a range that does not.</text>',
              "</svg>"]
    return "\n".join(lines) + "\n"
