/** So much at once is taken for an accident, and waits for a person: more than this share, and more than this number. */
export interface Fuse {
  readonly share: number;
  readonly atLeast: number;
}

export function isTooMuchFor({ share, atLeast }: Fuse, lost: number, total: number): boolean {
  return lost > atLeast && lost > total * share;
}
