import { spell } from '../connections/header-names.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * Headers as they go out, names and values in turns: what all have, and what one has of its own, in the order in which they were
 * said first. Whoever says one again, says it in its place.
 * @returns given its Link field (`formatLinks`, which is safe) and the others of its own; undefined: one of them cannot be sent
 */
export function createFields(
  common: Headers,
): (link: string | undefined, own: Headers) => string[] | undefined {
  const first: string[] = [];
  const places = new Map<string, number>();
  for (const name in common) {
    places.set(name, first.length + 1);
    first.push(spell(name), common[name] ?? '');
  }
  return (link, own) => {
    const fields = first.slice();
    if (link !== undefined) fields.push('Link', link);
    for (const name in own) {
      const value = own[name] ?? '';
      if (value !== link && unsendable.test(value)) return undefined;
      const place = places.get(name);
      if (place !== undefined) fields[place] = value;
      else if (name !== 'link' || link === undefined) fields.push(spell(name), value);
    }
    return fields;
  };
}

/** With anything else in it a value could end its line: a text goes out as Latin-1, of which `\u010a` would be a line's end. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;
