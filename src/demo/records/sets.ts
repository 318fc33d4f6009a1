/** The sets of the sample repository; a colon makes a child. */
export const sets: readonly { readonly spec: string; readonly name: string }[] = [
  { spec: 'faculty', name: 'Faculties' },
  { spec: 'faculty:letters', name: 'Faculty of Letters' },
  { spec: 'faculty:science', name: 'Faculty of Science' },
  { spec: 'journal', name: 'Journals' },
  { spec: 'journal:bulletin', name: 'Bulletin of the Sample Library' },
  { spec: 'theses', name: 'Theses 学位論文' },
];

/** A record of `faculty:letters` is in `faculty` as well. */
export function isMember(specs: readonly string[], set: string): boolean {
  return specs.some((spec) => spec === set || spec.startsWith(`${set}:`));
}
