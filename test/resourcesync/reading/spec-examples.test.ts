import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Remarks } from '../../../src/resourcesync/reading/remarks.ts';
import { parseSourceDocument } from '../../../src/resourcesync/reading/source-document.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { sharedSpec } from '../../house/publish/shared-material.ts';

const examples = sharedSpec('examples');
const names = examples === undefined ? [] : readdirSync(examples).filter((name) => name.endsWith('.xml'));

async function read(name: string) {
  const remarks = new Remarks();
  const statements: Statement[] = [];
  const uri = `http://example.com/${name}`;
  const handler = { statement: (found: Statement) => statements.push(found) };
  const bytes = createReadStream(join(examples ?? '', name));
  const document = await parseSourceDocument(bytes, uri, handler, remarks.at(uri));
  return { document, statements, remarks: remarks.list() };
}

describe.skipIf(examples === undefined)('the examples of the standard', () => {
  it('there are thirty', () => expect(names).toHaveLength(30));

  it.each(names)('%s is read, with something in it', async (name) => {
    const { document, statements } = await read(name);
    expect(document.isStated).toBe(true);
    expect(document.members.length + statements.length).toBeGreaterThan(0);
    for (const { loc, change, links } of statements) {
      expect(URL.canParse(loc)).toBe(true);
      if (document.capability.startsWith('change')) expect(change).toBeDefined();
      for (const { href } of links) expect(URL.canParse(href)).toBe(true);
    }
  });

  it('what is said of bytes is understood, but where it is none', async () => {
    const strange: string[] = [];
    for (const name of names) {
      const { remarks } = await read(name);
      strange.push(...remarks.map(({ rule }) => `${name} ${rule}`));
    }
    // E-02: hashes that are not hex.
    expect(strange).toEqual(['example-27.xml RS-ATTR-08']);
  });

  it('mirrors come with their ranks, patches with their types, mementos and mirrors of lists as links', async () => {
    const links: Record<string, string[]> = {};
    for (const name of names) {
      const { statements } = await read(name);
      for (const { rel, pri, type } of statements.flatMap((statement) => statement.links)) {
        const known = links[rel] ?? [];
        links[rel] = [...known, pri < 999_999 ? `${pri}` : (type ?? '')];
      }
    }
    expect(links.duplicate?.filter((rank) => /^\d+$/.test(rank))).toEqual(['1', '2', '3']);
    expect(links['http://www.openarchives.org/rs/terms/patch']).toEqual([
      'application/json-patch',
      'application/x-tiff-diff',
    ]);
    expect(Object.keys(links)).toEqual(
      expect.arrayContaining(['memento', 'describedby', 'describes', 'via']),
    );
  });
});
