import { describe, expect, test } from 'vitest';
import { liveThrough } from '../house/hostile/life.ts';
import { hostileFormats } from '../house/hostile/provider/formats.ts';
import type { Damage, Misbehaviour } from '../house/hostile/provider/misbehaviour.ts';
import { identifierOf } from '../house/hostile/repository.ts';
import { openStage, type Scene, type SceneOptions } from '../house/hostile/scene.ts';
import { readBlob } from '../house/store/read-blob.ts';

const openScene = openStage();

describe('All goes well', () => {
  test.each<[string, Misbehaviour, SceneOptions?]>([
    ['quirk 75: there are control characters', { damage: 'control characters' }],
    ['quirk 75: there are references to control characters', { damage: 'references to control characters' }],
    ['quirk 75: there are noncharacters', { damage: 'noncharacters' }],
    ['quirk 76: there are bytes of Latin-1 in UTF-8', { damage: 'Latin-1 bytes' }],
    ['quirk 76: it is Latin-1 and says so', { encoding: 'ISO-8859-1 declared' }],
    ['quirk 76: only the header says that it is Latin-1', { encoding: 'ISO-8859-1 in the header only' }],
    [
      'quirk 76: only the header says that it is Latin-1, without a declaration',
      { encoding: 'ISO-8859-1 in the header only', prolog: 'no declaration' },
    ],
    ['quirk 77: there is a byte order mark', { prolog: 'byte order mark' }],
    ['quirk 77: there are blank lines before the declaration', { prolog: 'blank lines' }],
    ['quirk 78: there is no declaration', { prolog: 'no declaration' }],
    ['quirk 78: there is a stylesheet', { prolog: 'stylesheet' }],
    ['quirk 79: there are XML declarations inside', { damage: 'XML declaration' }],
    ['quirk 80: there is a DOCTYPE', { doctype: 'small' }],
    ['quirk 80: there is a bomb that nobody lights', { doctype: 'bomb' }],
    ['quirk 80: there is an external entity that nobody names', { doctype: 'external' }],
    ['quirk 81: there are HTML entities', { damage: 'HTML entities' }],
    ['quirk 82: there are bare ampersands', { damage: 'bare ampersands' }],
    ['quirk 82: every record has bare ampersands', { damage: 'bare ampersands', damageEvery: 1 }],
    ['quirk 84: namespaces are declared on <metadata>', { namespacesOn: 'metadata' }],
    ['quirk 84: namespaces are declared on <record>', { namespacesOn: 'record' }],
    ['quirk 84: namespaces are declared on the list', { namespacesOn: 'list' }],
    ['quirk 84: namespaces are declared on the root', { namespacesOn: 'root' }],
    ['quirk 85: namespaces are declared on the first page only', { namespacesOnFirstPageOnly: true }],
    ['quirk 88: the protocol has a prefix', { protocolElements: 'oai:' }],
    ['quirk 88: the protocol has no namespace', { protocolElements: 'no namespace' }],
    ['quirk 89: there is a comment beside the payload', { besidePayload: 'comment' }],
    ['quirk 89: there is text beside the payload', { besidePayload: 'text' }],
    ['quirk 89: there is CDATA beside the payload', { besidePayload: 'CDATA' }],
    ['quirk 89: there is a second element behind the payload', { besidePayload: 'second element' }],
    ['quirk 93: there is a second root', { secondRoot: true }],
    ['quirk 94: <request> is missing', { requestElement: 'missing' }],
    ['quirk 94: <request> comes first', { requestElement: 'first' }],
    ['quirk 94: <request> and <responseDate> are on several lines', { requestElement: 'on several lines' }],
    ['quirk 95: every record has three abouts', { abouts: 3 }],
    [
      'much of this at once',
      {
        damage: 'bare ampersands',
        prolog: 'blank lines',
        doctype: 'small',
        namespacesOn: 'root',
        noticesBehind: true,
        gzip: 'undeclared',
        lowerCaseVerbs: true,
        besidePayload: 'text',
      },
    ],
    [
      'namespaces of two formats are declared outside',
      { namespacesOn: 'root', protocolElements: 'oai:' },
      { formats: ['oai_dc', 'mods'] },
    ],
  ])('although, %s', async (_name, wrong, options) => {
    await liveThrough(await openScene(options), wrong);
  });
});

async function content(scene: Scene, number: number, format = 'oai_dc'): Promise<string> {
  const [row] = await scene.database
    .reader('resource')
    .where({ path: scene.path(identifierOf(number), format) })
    .select('hash');
  return Buffer.from((await readBlob(scene.database.reader, row?.hash)) ?? []).toString('utf8');
}

describe('A damaged record', () => {
  test.each<Damage>([
    'control characters',
    'references to control characters',
    'noncharacters',
    'Latin-1 bytes',
    'XML declaration',
    'HTML entities',
    'bare ampersands',
  ])('with %s is mended, and named', async (damage) => {
    const scene = await openScene({ records: 9 });
    scene.misbehave({ damage });
    await scene.run();
    await scene.expectTruth();
    const repaired = (await scene.problems()).filter(({ code }) => code === 'record-repaired');
    expect(repaired.map(({ identifier }) => identifier)).toEqual([3, 6, 9].map(identifierOf));
  });

  test('past mending is left out and named, and its neighbours live', async () => {
    const scene = await openScene({ records: 9 });
    scene.misbehave({ damage: 'unbalanced tags' });
    await scene.run();
    const live = [...(await scene.live()).keys()];
    expect(live.sort()).toEqual([1, 2, 4, 5, 7, 8].map((number) => scene.path(identifierOf(number))));
    const problems = await scene.problems();
    expect(problems.map(({ code, identifier }) => `${code} ${identifier}`).sort()).toEqual(
      [3, 6, 9].map((number) => `record-quarantined ${identifierOf(number)}`),
    );
  });

  test('past mending keeps what was published of it, and forbids no deletion of others', async () => {
    const scene = await openScene();
    scene.misbehave({ deletedRecord: 'no' });
    await scene.run();
    scene.repository.vanish(identifierOf(7));
    scene.misbehave({ deletedRecord: 'no', damage: 'unbalanced tags', damageEvery: 5 });
    await scene.run({ mode: 'full' });
    expect([...(await scene.live()).keys()].sort()).toEqual([...scene.truth().keys()].sort());
  });
});

test('quirk 80: a DOCTYPE as large as a book is refused by name, and deletes nothing', async () => {
  const scene = await openScene();
  await scene.run();
  scene.misbehave({ doctype: 'large' });
  await expect(scene.run({ mode: 'full' })).rejects.toMatchObject({ code: 'upstream-forbidden-doctype' });
  await scene.expectTruth();
});

test.each(hostileFormats.map(({ prefix }) => prefix))(
  'quirks 83, 86, 87, 90, 91, 92: %s is published byte for byte',
  async (prefix) => {
    const scene = await openScene({ records: 9, formats: [prefix], source: { formats: [prefix] } });
    await scene.run();
    await scene.expectTruth();
    const format = hostileFormats.find((candidate) => candidate.prefix === prefix);
    const record = scene.repository.get(identifierOf(5));
    const declarations = ` ${format?.declarations}`.trimEnd();
    const written = format?.write(record, declarations, () => '') ?? '';
    const published = await content(scene, 5, prefix);
    const undeclared = format?.publishedDeclarations;
    expect(undeclared === undefined ? published : published.replace(` ${undeclared}`, '')).toBe(written);
  },
);

test('quirk 84: where namespaces are declared makes no difference to what is published', async () => {
  const contents: string[] = [];
  for (const namespacesOn of ['metadata', 'record', 'list', 'root'] as const) {
    const scene = await openScene({ records: 9 });
    scene.misbehave({ namespacesOn });
    await scene.run();
    contents.push(await content(scene, 5));
  }
  expect(new Set(contents).size).toBe(1);
});

test('quirk 93: all errors are told', async () => {
  const scene = await openScene();
  await scene.run();
  scene.misbehave({ inventedErrorEvery: 1, errors: 'two' });
  await expect(scene.run({ mode: 'full' })).rejects.toThrow(/index is being rebuilt.*second error/);
  await scene.expectTruth();
});

test('quirk 93: an error beside records deletes nothing', async () => {
  const scene = await openScene();
  scene.misbehave({ deletedRecord: 'no' });
  await scene.run();
  await scene.expectTruth();
  scene.misbehave({ deletedRecord: 'no', errors: 'beside records' });
  await scene.run({ mode: 'full' }).catch(() => undefined);
  await scene.expectTruth();
});
