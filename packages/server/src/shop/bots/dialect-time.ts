/** A moment as the bots' dialect writes it: whole seconds, never later than it is. */
export function dialectTime(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}
