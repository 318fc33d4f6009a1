/** A picture to be written in some format. */
export interface Painting {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue, 0–255 each. */
  colourAt(x: number, y: number): Colour;
}

export type Colour = readonly [red: number, green: number, blue: number];

const skies: readonly (readonly [Colour, Colour])[] = [
  [
    [38, 70, 120],
    [244, 190, 140],
  ],
  [
    [120, 180, 220],
    [240, 240, 225],
  ],
  [
    [20, 24, 60],
    [120, 90, 150],
  ],
  [
    [200, 90, 80],
    [250, 220, 150],
  ],
];
const hills: readonly Colour[] = [
  [40, 84, 72],
  [70, 100, 60],
  [60, 60, 90],
  [110, 80, 60],
];

/** Hills under a sky, with a sun or a moon: the same numbers paint the same picture. */
export function paint(random: () => number, width: number, height: number): Painting {
  const [top, bottom] = skies[Math.floor(random() * skies.length)] ?? [
    [0, 0, 0] as const,
    [255, 255, 255] as const,
  ];
  const land = hills[Math.floor(random() * hills.length)] ?? [0, 0, 0];
  const sun = { x: width * (0.15 + 0.7 * random()), y: height * (0.1 + 0.3 * random()), radius: height / 9 };
  const ridges = [0.55, 0.7, 0.85].map((level) => ({
    level: height * level,
    swing: height * 0.09 * (0.5 + random()),
    period: width * (0.12 + 0.2 * random()),
    shift: random() * 10,
  }));
  return {
    width,
    height,
    colourAt(x, y) {
      const ridge = ridges.findLastIndex(
        ({ level, swing, period, shift }) => y > level + swing * Math.sin(x / period + shift),
      );
      if (ridge >= 0) return shade(land, 1 - 0.25 * ridge);
      if ((x - sun.x) ** 2 + (y - sun.y) ** 2 < sun.radius ** 2) return [255, 244, 214];
      return mix(top, bottom, y / height);
    },
  };
}

function shade(colour: Colour, factor: number): Colour {
  return mix([0, 0, 0], colour, factor);
}

function mix(a: Colour, b: Colour, share: number): Colour {
  const between = (from: number, to: number) => Math.round(from + (to - from) * share);
  return [between(a[0], b[0]), between(a[1], b[1]), between(a[2], b[2])];
}
