import { XmlDocument, type XmlElement } from 'libxml2-wasm';
import { expect, test } from 'vitest';
import { itemPath } from '../../../src/core/uris.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { takePrivateSets } from '../../../src/store/removal/private-items.ts';
import { withdraw } from '../../../src/store/removal/withdrawals.ts';
import { saveInfo } from '../../../src/store/sources/sources.ts';
import {
  baseUrl,
  errorsIn,
  fileAt,
  formatsOfHouse,
  headersIn,
  identifiersIn,
  infoOfHouse,
  OaiHouse,
} from '../../house/server/oai-house.ts';
import { OaiJointHouse } from '../../house/server/oai-joint-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const [first, second, third] = ['oai:repo.example.org:1', 'oai:repo.example.org:2', 'oai:repo.example.org:3'];
const records = { verb: 'ListRecords', metadataPrefix: 'ore' };

async function openHouse(database: Database): Promise<OaiHouse> {
  const house = await OaiHouse.open(database);
  house.files = { mode: 'proxy', perItem: 100, verify: true, landingPages: false };
  return house;
}

/** Of each record of an answer: its Resource Map as it stands there, or nothing where it is deleted. */
function mapsIn(page: string): [identifier: string, map: string | undefined][] {
  return page
    .split('<record>')
    .slice(1)
    .map((record) => {
      const [header = ''] = headersIn(record);
      const [, entry] = /<metadata>\n(<entry[\s\S]*<\/entry>)\n<\/metadata>/.exec(record) ?? [];
      // What makes it stand in a record.
      const bare = entry?.replace(/ xmlns:xsi="[^"]+" xsi:schemaLocation="[^"]+"/, '');
      if (bare !== undefined) expect(bare).toContain(`<updated>${header.split(' ')[1]}</updated>`);
      return [header.split(' ', 1)[0] ?? '', bare];
    });
}

/** A harvester that follows from one `responseDate` to the next. */
class Follower {
  readonly held = new Map<string, string>();
  #from: string | undefined;

  async harvest(house: OaiHouse): Promise<string[]> {
    const from = this.#from;
    const pages = await house.walk(from === undefined ? records : { ...records, from });
    this.#from = /<responseDate>([^<]+)</.exec(pages[0] ?? '')?.[1];
    const met = pages.flatMap(mapsIn);
    for (const [identifier, map] of met) {
      if (map === undefined) this.held.delete(identifier);
      else this.held.set(identifier, map);
    }
    return met.map(([identifier]) => identifier);
  }
}

/** What everybody may ask for. */
async function mapAt(house: OaiHouse, identifier: string): Promise<string | undefined> {
  const { statusCode, body } = await house.app.inject(
    `/${itemPath(house.source, identifier)}/resourcemap.atom`,
  );
  return statusCode === 200 ? body.slice(body.indexOf('<entry')).trimEnd() : undefined;
}

/** As DSpace's harvester does it: the record, then its map, of which it downloads whatever is aggregated. */
function filesFor(map: string): { alternate: string; files: string[] } {
  const document = XmlDocument.fromString(map);
  const prefixes = {
    atom: 'http://www.w3.org/2005/Atom',
    rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
    dcterms: 'http://purl.org/dc/terms/',
  };
  try {
    const href = (rel: string) =>
      document
        .find(`//atom:entry/atom:link[@rel='${rel}']/@href`, prefixes)
        .map((node) => (node as XmlElement).content);
    const bundle = (uri: string) =>
      document
        .find(`//rdf:Description[@rdf:about='${uri}'][rdf:type]/dcterms:description`, prefixes)
        .map((node) => (node as XmlElement).content)[0];
    const files = href('http://www.openarchives.org/ore/terms/aggregates');
    return {
      alternate: href('alternate')[0] ?? '',
      files: files.filter((uri) => bundle(uri) === 'ORIGINAL'),
    };
  } finally {
    document.dispose();
  }
}

describeOnBoth('Items as Resource Maps by OAI-PMH', (open) => {
  test.each([
    ['at once', true],
    ['not at all', false],
  ])('move with every change of a file, where their order follows %s', async (_, follows) => {
    const house = await openHouse(open().database);
    const follower = new Follower();
    const address = (identifier: string, name: string) =>
      `${baseUrl}/${itemPath(house.source, identifier)}/files/${name}`;
    /** @returns who is met by whoever was here before */
    const after = async (...steps: (() => Promise<unknown>)[]) => {
      house.pass(5);
      for (const step of steps) await step();
      house.pass(5);
      if (follows) await house.order();
      const met = await follower.harvest(house);
      for (const identifier of [first, second, third])
        expect(follower.held.get(identifier)).toBe(await mapAt(house, identifier));
      return met;
    };
    /** Whose records in Dublin Core were met by the same. */
    const recordsMet = async () => {
      const from = new Date(Date.parse(house.now) - 9000).toISOString().replace('.000', '');
      return identifiersIn(await house.ask({ verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', from }));
    };
    const files = (identifier: string) => filesFor(follower.held.get(identifier) ?? '').files;

    const sized = { length: 10, mediaType: 'application/pdf' };
    const refused = { outcome: 'refused', failures: 9 } as const;
    const begin = () =>
      house.tell({ [first]: { files: ['a.pdf'] }, [second]: { files: ['c.pdf'] }, [third]: {} });
    const met = await after(
      begin,
      () => house.see('a.pdf', sized),
      () => house.see('c.pdf', refused),
    );
    expect(met.toSorted()).toEqual([first, second, third]);
    expect([files(first), files(second)]).toEqual([[address(first, '1-a.pdf')], []]);
    // A record that names one more.
    const more = () => house.tell({ [first]: { files: ['a.pdf', 'b.pdf'] } });
    expect(await after(more, () => house.see('b.pdf', sized))).toEqual([first]);
    expect(await recordsMet()).toEqual([first]);
    expect(files(first)).toEqual([address(first, '1-a.pdf'), address(first, '2-b.pdf')]);
    // In place.
    expect(await after(() => house.see('a.pdf', { ...sized, length: 11 }))).toEqual([first]);
    expect(follower.held.get(first)).toContain('length="11"');
    // What says nothing of it moves nothing.
    expect(await after(() => house.tell({ [third]: {} }))).toEqual([]);
    // No record says it: a server has changed its mind.
    expect(await after(() => house.see('c.pdf', sized))).toEqual([second]);
    expect(files(second)).toEqual([address(second, '1-c.pdf')]);
    expect(await recordsMet()).toEqual([]);
    expect(await after(() => house.see('b.pdf', refused))).toEqual([first]);
    expect(files(first)).toEqual([address(first, '1-a.pdf')]);
    expect(follower.held.get(first)).not.toContain('b.pdf');
    const { database, source, now } = house;
    const path = `${itemPath(source, second)}/files/1-c.pdf`;
    await withdraw(database, { source, identifier: second, path }, undefined, now);
    // At once, before the journal says it.
    const before = await house.ask({ verb: 'GetRecord', identifier: second, metadataPrefix: 'ore' });
    expect(before).not.toContain('c.pdf');
    expect(await after(() => house.settle())).toEqual([second]);
    expect(files(second)).toEqual([]);
    // The repository takes one away.
    expect(await after(() => house.tell({ [first]: { files: [] } }))).toEqual([first]);
    expect(files(first)).toEqual([]);
    expect(await after(() => house.tell({ [third]: { deleted: true } }))).toEqual([third]);
    expect(follower.held.has(third)).toBe(false);
    const tombstone = await house.ask({ verb: 'GetRecord', identifier: third, metadataPrefix: 'ore' });
    expect(headersIn(tombstone)).toEqual([`${third} ${headersIn(tombstone)[0]?.split(' ')[1]} deleted`]);
    expect(await after(() => house.tell({ [third]: { files: ['d.pdf'] } }))).toEqual([third]);
    expect(files(third)).toHaveLength(1);
    // An item goes where not everybody may read it.
    const hidden = { [third]: { files: ['d.pdf'], collections: ['secret'] } };
    expect(await after(() => house.tell(hidden))).toEqual([third]);
    await takePrivateSets(database, new Map([[source, ['secret']]]), house.now);
    const asked = await house.ask({ verb: 'GetRecord', identifier: third, metadataPrefix: 'ore' });
    expect(asked).toContain('<header status="deleted">');
    expect(asked).not.toContain('d.pdf');
    expect(await after(() => house.settle())).toEqual([third]);
    expect(follower.held.has(third)).toBe(false);
    await house.close();
  });

  test('lead a DSpace that harvests records to the files of each', async () => {
    const house = await openHouse(open().database);
    await house.tell({ [first]: { files: ['a.pdf', 'b.pdf'] }, [second]: { files: ['c.pdf'] }, [third]: {} });
    for (const name of ['a.pdf', 'b.pdf']) await house.see(name, { mediaType: 'application/pdf' });
    await house.see('c.pdf', { outcome: 'refused', failures: 9 });
    house.pass(1);
    // It looks for the prefix by the namespace.
    const formats = await house.ask('verb=ListMetadataFormats');
    const [, prefix = ''] =
      /<metadataPrefix>([^<]+)<\/metadataPrefix><schema>[^<]+<\/schema><metadataNamespace>http:\/\/www\.w3\.org\/2005\/Atom</.exec(
        formats,
      ) ?? [];
    const harvested: Record<string, unknown> = {};
    for (const identifier of identifiersIn(
      await house.ask({ verb: 'ListRecords', metadataPrefix: 'oai_dc' }),
    )) {
      const answer = await house.ask({ verb: 'GetRecord', identifier, metadataPrefix: prefix });
      harvested[identifier] = filesFor(mapsIn(answer)[0]?.[1] ?? '');
    }
    const page = (identifier: string) => `${baseUrl}/${itemPath(house.source, identifier)}`;
    expect(harvested).toEqual({
      [first]: {
        alternate: page(first),
        files: [`${page(first)}/files/1-a.pdf`, `${page(first)}/files/2-b.pdf`],
      },
      [second]: { alternate: page(second), files: [] },
      [third]: { alternate: page(third), files: [] },
    });
    expect(await house.ask({ verb: 'ListMetadataFormats', identifier: second })).toContain(
      '<metadataPrefix>ore</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/atom_entry.xsd</schema>',
    );
    await house.close();
  });

  test('are in the sets of their items, and cost no more questions where there are many', async () => {
    const house = await openHouse(open().database);
    if (house.offer)
      house.offer = { ...house.offer, sets: [{ name: 'own', title: 'Own', collections: ['b'] }] };
    const some = Array.from({ length: 60 }, (_, number) => [
      `oai:a:${number}`,
      { collections: [number < 3 ? 'a' : 'b'], files: [] },
    ]);
    await house.tell(Object.fromEntries(some));
    house.files = { ...house.files, mode: 'link', verify: false };
    await house.tell({ 'oai:a:1': { collections: ['a'], files: ['a.pdf'] } });
    const few = { ...records, set: 'a' };
    for (const ordered of [false, true]) {
      if (ordered) await house.order();
      const found = await house.ask(few);
      expect(identifiersIn(found)).toEqual(['oai:a:0', 'oai:a:2', 'oai:a:1']);
      expect(found).toContain(`href="${fileAt('a.pdf')}"`);
      expect(identifiersIn(await house.ask({ ...records, set: 'sets.own' }))).toHaveLength(57);
    }
    let asked = 0;
    const note = () => {
      asked += 1;
    };
    house.database.reader.on('query', note);
    await house.ask(few);
    const forFew = asked;
    asked = 0;
    expect(identifiersIn(await house.ask(records))).toHaveLength(60);
    house.database.reader.removeListener('query', note);
    expect(asked).toBeLessThanOrEqual(forFew);
    await house.close();
  });

  test('are not made where the repository has its own, nor of all sources together', async () => {
    const house = await openHouse(open().database);
    await house.tell({ [first]: {} });
    const atom = { name: 'maps', namespace: 'http://www.w3.org/2005/Atom', schema: undefined };
    const formats = [...formatsOfHouse, { ...atom, selected: true, offered: true }];
    await saveInfo(house.database.writer, house.sourceId, { ...infoOfHouse, formats });
    expect(errorsIn(await house.ask(records))).toEqual(['cannotDisseminateFormat']);
    expect(await house.ask({ verb: 'ListMetadataFormats', identifier: first })).not.toContain('>ore<');
    await house.close();
    const joint = await OaiJointHouse.open(open().database, 1);
    await joint.of(0).tell({ [first]: {} });
    await joint.order();
    expect(errorsIn(await joint.ask(records))).toEqual(['cannotDisseminateFormat']);
    expect(await joint.ask({ verb: 'ListMetadataFormats' })).not.toContain('>ore<');
    await joint.close();
  });
});
