/** `+5`, `−50`, `0`. @param shown writes what is not negative */
export function signed(difference: number, shown: (value: number) => string): string {
  if (difference === 0) return shown(0);
  return `${difference < 0 ? '−' : '+'}${shown(Math.abs(difference))}`;
}
