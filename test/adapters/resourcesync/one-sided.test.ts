import { beforeEach, expect, test } from 'vitest';
import { FollowedSource } from '../../house/chain/followed-source.ts';
import { namespaces, resourceList, sha256 } from '../../house/resourcesync/written-source.ts';

const followed = new FollowedSource();

beforeEach(() => changes(''));

const at = (path: string) => `${followed.source.origin}${path}`;
const dc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const links = (relation: string, ...hrefs: readonly string[]) =>
  hrefs.map((href) => `<rs:ln rel="${relation}" href="${href}"/>`).join('');
const changed = (change: string, datetime: string) => ` change="${change}" datetime="${datetime}"`;
/** A file and who is said to describe it. */
const file = (path: string, ...describedBy: readonly string[]) => {
  followed.source.put(path, '0123456789', { type: 'application/pdf' });
  return `<url><loc>${at(path)}</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md length="10" type="application/pdf"/>${links('describedby', ...describedBy)}</url>`;
};
/** A record and what it says that it describes. */
const record = (path: string, describes: readonly string[], profile?: string) => {
  const content = `<record>${path}</record>`;
  followed.source.put(path, content);
  return `<url><loc>${at(path)}</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md hash="${sha256(content)}" length="${content.length}" type="application/xml"/>${links('describes', ...describes)}${profile === undefined ? '' : links('profile', profile)}</url>`;
};
const deletion = (path: string, datetime: string) =>
  `<url><loc>${at(path)}</loc><rs:md${changed('deleted', datetime)}/></url>`;
/** Entries that are nothing to the others(), more than come at a time. */
const others = () => Array.from({ length: 130 }, (_, n) => file(`/alone/${n}.pdf`)).join('');
const list = (...entries: string[]) => followed.source.put('/list.xml', resourceList(entries.join('')));
function changes(...entries: string[]): void {
  followed.source.put(
    '/changes.xml',
    `<urlset ${namespaces}><rs:md capability="changelist" from="2026-02-01T00:00:00Z"/>${entries.join('')}</urlset>`,
  );
}
const nothing = { state: 'succeeded', created: 0, updated: 0, deleted: 0, problems: 0 };
const vias = async () =>
  [...(await followed.level.files()).values()].flatMap((one) =>
    one.vias.map((via) => via.slice(followed.source.origin.length)),
  );
const metadata = async () => [...(await followed.level.metadata()).keys()].sort();

test.each([
  ['is at another host', () => ['http://catalogue.example.org/1.xml']],
  ['is listed, and does not say that it does', () => [at('/one-sided.xml')]],
  ['is listed nowhere', () => [at('/unlisted.xml')]],
  ['is itself', () => [at('/1.pdf')]],
  ['is one of two that are not there', () => [at('/a.xml'), at('/b.xml')]],
])('a file stays as long as it is listed, though what should describe it %s', async (_what, describers) => {
  list(record('/one-sided.xml', []), file('/1.pdf', ...describers()), others());
  await followed.follow({ withChanges: false });
  await followed.level.turn('full');
  const before = [await metadata(), await vias()];
  expect(before[1]).toContain('/1.pdf');
  expect(await followed.level.turn('full')).toMatchObject(nothing);
  expect(await followed.level.turn('full')).toMatchObject(nothing);
  expect(await followed.level.identifiers()).toMatchObject({ deleted: 0 });
  expect([await metadata(), await vias()]).toEqual(before);
  list(record('/one-sided.xml', []), others());
  expect(await followed.level.turn('full')).toMatchObject({ ...nothing, deleted: 2 });
});

test('a file goes to what describes it at last', async () => {
  list(file('/1.pdf', at('/1.xml')), others());
  await followed.follow({ withChanges: false });
  await followed.level.turn('full');
  list(file('/1.pdf', at('/1.xml')), others(), record('/1.xml', [at('/1.pdf')], dc));
  await followed.level.turn('full');
  expect((await vias()).filter((via) => via === '/1.pdf')).toHaveLength(1);
  const own = [...(await followed.level.metadata())].filter(
    ([
      ,
      {
        vias: [via],
      },
    ]) => via === at('/1.pdf') || via === at('/1.xml'),
  );
  expect(own).toMatchObject([[expect.stringMatching(/oai_dc\.xml$/), { vias: [at('/1.xml')] }]]);
  expect(await followed.level.turn('full')).toMatchObject(nothing);
});

test.each([
  ['of Dublin Core', dc],
  ['of another kind', undefined],
])('a file that is deleted leaves its record, %s', async (_kind, profile) => {
  list(record('/1.xml', [at('/1.pdf')], profile), file('/1.pdf', at('/1.xml')), others());
  await followed.follow({ withChanges: true });
  await followed.level.turn('full');
  const before = await followed.level.metadata();
  changes(deletion('/1.pdf', '2026-02-02T00:00:00Z'));
  expect(await followed.level.turn()).toMatchObject({ state: 'succeeded', problems: 0, deleted: 1 });
  expect(await vias()).not.toContain('/1.pdf');
  expect(await followed.level.metadata()).toEqual(before);
});

test.each([
  ['of Dublin Core', dc],
  ['of another kind', undefined],
])('a record that is deleted leaves its file, %s, as an item of its own', async (_kind, profile) => {
  const [one, two] = [at('/1.pdf'), at('/2.pdf')];
  list(
    ...[record('/1.xml', [one], profile), file('/1.pdf', at('/1.xml'))],
    ...[record('/2.xml', [two], profile), file('/2.pdf', at('/2.xml')), others()],
  );
  await followed.follow({ withChanges: true });
  await followed.level.turn('full');
  const records = (await metadata()).length;
  changes(
    deletion('/1.xml', '2026-02-02T00:00:00Z'),
    deletion('/2.xml', '2026-02-02T00:00:00Z'),
    deletion('/2.pdf', '2026-02-02T00:00:00Z'),
  );
  expect(await followed.level.turn()).toMatchObject({ state: 'succeeded', problems: 0 });
  expect(await vias()).toContain('/1.pdf');
  expect(await vias()).not.toContain('/2.pdf');
  expect(await metadata()).toHaveLength(records - 1);
  expect([...(await followed.level.metadata()).values()].flatMap((known) => known.vias)).not.toContain(
    at('/1.xml'),
  );
  // With the list of before, which still names the record, and with one that does not.
  expect(await followed.level.turn('full')).toMatchObject(nothing);
  list(file('/1.pdf', at('/1.xml')), others());
  expect(await followed.level.turn('full')).toMatchObject(nothing);
  expect(await vias()).toContain('/1.pdf');
  changes(deletion('/1.pdf', '2026-02-03T00:00:00Z'));
  expect(await followed.level.turn()).toMatchObject({ state: 'succeeded', deleted: 2 });
  expect(await vias()).not.toContain('/1.pdf');
});

test.each([
  ['before', (record: string, pdf: string) => [record, pdf, others()]],
  ['far behind', (record: string, pdf: string) => [pdf, others(), record]],
])('a file stays when its record is listed no more, which came %s it', async (_where, order) => {
  const pdf = file('/1.pdf', at('/1.xml'));
  list(...order(record('/1.xml', [at('/1.pdf')], dc), pdf));
  await followed.follow({ withChanges: false });
  await followed.level.turn('full');
  expect(await vias()).toContain('/1.pdf');
  expect(await followed.level.turn('full')).toMatchObject(nothing);
  list(...order('', pdf));
  await followed.level.turn('full');
  expect(await vias()).toContain('/1.pdf');
  expect([...(await followed.level.metadata()).values()].flatMap((known) => known.vias)).not.toContain(
    at('/1.xml'),
  );
  expect(await followed.level.turn('full')).toMatchObject(nothing);
});

test('a file whose record is not for everybody goes with it, and comes back with it', async () => {
  const known = () => record('/1.xml', [at('/1.pdf')], dc);
  list(known(), file('/1.pdf', at('/1.xml')), others());
  await followed.follow({ withChanges: false });
  await followed.level.turn('full');
  list(known().replaceAll('2026-01-01', '2026-01-02'), file('/1.pdf', at('/1.xml')), others());
  followed.source.put('/1.xml', '', { status: 401 });
  // As long as that lasts.
  for (const hash of [sha256('another'), sha256('yet another')]) {
    list(
      known()
        .replaceAll('2026-01-01', '2026-01-02')
        .replace(/hash="[^"]*"/, `hash="${hash}"`),
      ...[file('/1.pdf', at('/1.xml')), others()],
    );
    followed.source.put('/1.xml', '', { status: 401 });
    await followed.level.turn('full');
    expect(await vias()).not.toContain('/1.pdf');
    expect(await metadata()).toHaveLength(130);
  }
  list(known(), file('/1.pdf', at('/1.xml')), others());
  await followed.level.turn('full');
  expect(await vias()).toContain('/1.pdf');
});
