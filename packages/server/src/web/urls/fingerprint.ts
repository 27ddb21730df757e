/** 32 bits of a text (FNV-1a). For counting what a site sends, where one miscount in a million does no harm. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
