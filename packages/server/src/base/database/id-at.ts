/** The least id that what was made at that time can have: ids begin with their time (UUID version 7). */
export function idAt(time: string, slackMs = 0): string {
  const ms = Math.min(Math.max(Date.parse(time) + slackMs, 0), 2 ** 48 - 1);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
