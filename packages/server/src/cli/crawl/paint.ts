const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Paint = (colour: keyof typeof codes, text: string) => string;

/** Colours where they are shown: on a terminal that has them, unless NO_COLOR is set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  const isColoured = stream.isTTY && !process.env.NO_COLOR && stream.hasColors();
  return (colour, text) => {
    const [on, off] = codes[colour];
    return isColoured && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}
