const known = new Map<string, string | null>();
const knownLimit = 200;

/** The Encoding Standard's name for a label (`latin1` → `windows-1252`), or null for one that nobody knows. */
export function encodingName(label: string): string | null {
  const key = label.trim().toLowerCase();
  const name = known.get(key);
  if (name !== undefined) return name;
  if (key === '' || key.length > 40) return null;
  if (known.size >= knownLimit) known.clear();
  const found = lookUp(key);
  known.set(key, found);
  return found;
}

function lookUp(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return label === 'x-user-defined' ? label : null;
  }
}
