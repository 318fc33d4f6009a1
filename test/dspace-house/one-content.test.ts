import { expect, test } from 'vitest';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import { House } from '../house/dspace-house/house.ts';
import { suiteDatabase } from '../house/dspace-house/suite-database.ts';

const { signal } = new AbortController();
const database = suiteDatabase();

/** The elements of each `oai_dc`, in no order, by identifier. */
async function contents(house: House): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  await house.source.adapter.identify(signal);
  for await (const { items } of house.source.adapter.pages({ mode: 'full' }, signal)) {
    for (const { identifier, deleted, metadata } of items) {
      const document = metadata.find(({ format }) => format === 'oai_dc');
      if (deleted || document === undefined) continue;
      const text = Buffer.from(document.content).toString('utf8');
      // Ends of lines and what cannot be in XML are the writer's affair.
      const plain = text.replace(/&#x?d;|[^\P{C}\n]/giu, '').replace(/\s+/g, ' ');
      found.set(identifier, (plain.match(/<dc:[^>]+>[^<]*/g) ?? []).sort());
    }
  }
  return found;
}

test('oai_dc by REST has the content of that of the OAI-PMH endpoint, file by file', async () => {
  const repository = sampleRepository({ items: 60, seed: 12 });
  const [first] = repository.items;
  if (first === undefined) throw new Error('no items');
  for (const name of ['a.pdf', 'b.pdf', 'c.csv']) {
    const mimeType = name.endsWith('csv') ? 'text/csv; charset=utf-8' : 'application/pdf';
    repository.addBitstream(first, { name, mimeType, content: name });
  }
  repository.rebuildIndex();
  const house = await House.open(database(), { repository, version: '9.1' });
  try {
    house.server.oai?.reindex();
    const byRest = await contents(house);
    await house.configure({ adapter: 'oai-pmh', formats: ['oai_dc'] });
    const byOai = await contents(house);
    // The endpoint of this double knows no values of relations.
    const related = new Set(
      repository.items.flatMap((item) =>
        item.relationships === undefined ? [] : [`oai:repo.example.org:${item.handle}`],
      ),
    );
    const shared = [...byOai.keys()].filter((one) => byRest.has(one) && !related.has(one));
    expect(shared.length).toBeGreaterThan(20);
    for (const identifier of shared) expect(byRest.get(identifier)).toEqual(byOai.get(identifier));
  } finally {
    await house.close();
  }
});
