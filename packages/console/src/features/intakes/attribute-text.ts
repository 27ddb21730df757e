import type { Intake } from '@holdfast/contract';

type Attributes = Intake['attributes'];

/** "1881 · S · Morgan": the distinguishing attributes on one line. */
export function attributeText(attributes: Attributes): string {
  return Object.values(attributes).map(String).join(' · ');
}

/** One per line, for editing. */
export function attributeLines(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** Parses the edited text; an unchanged value keeps its type, text or number. */
export function readAttributes(lines: string, before: Attributes = {}): Attributes {
  return Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [, name = line, text = ''] = /^([^:]*):(.*)$/.exec(line) ?? [];
        const [key, value] = [name.trim(), text.trim()];
        const same = Object.hasOwn(before, key) && String(before[key]) === value;
        return [key, same ? (before[key] ?? '') : meantBy(value)];
      }),
  );
}

function meantBy(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  // 1881 is a number; 007 and 1e3 are text, because they would come back as something else.
  return text !== '' && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
