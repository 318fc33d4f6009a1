import { describe, expect, test } from 'vitest';
import { findingsOf, source, useSmallSource } from '../../house/cli/validated-source.ts';

useSmallSource();

const state = 'modified="2025-12-31T10:00:00Z"';
const datetime = 'Wed, 31 Dec 2025 10:00:00 GMT';
const messages = async () => (await findingsOf()).findings.map(({ rule, message }) => `${rule} ${message}`);

/** Gives a TimeMap of one memento other pages, with these attributes. */
function page(body: string, attributes: string): void {
  const headers = { 'content-type': 'application/link-format' };
  const link = `<${source.origin}/timemap/1/2>; rel="timemap"; type="application/link-format"${attributes}`;
  source.answers.set('/timemap/1', { headers, body: `<${source.origin}/r/1>; rel="original",\n${link}\n` });
  source.answers.set('/timemap/1/2', { headers, body });
}
const listed = () => `<${source.origin}/r/1-memento>; rel="memento"; datetime="${datetime}"\n`;
const period = (until: string) => `; from="Mon, 01 Dec 2025 00:00:00 GMT"; until="${until}"`;

describe('rsbridge validate: the past', () => {
  test('RS-LN-22: a TimeGate is asked for the moment of the entry', async () => {
    await findingsOf();
    expect(source.headersOf('/timegate/1')).toMatchObject({ 'accept-datetime': datetime });
  });

  test('RS-LN-24: a memento may be in a further page of its TimeMap', async () => {
    page(listed(), period(datetime));
    expect(await findingsOf()).toMatchObject({ findings: [], summary: { notes: [] } });
    expect(source.asked).toContain('/timemap/1/2');
    page('', period(datetime));
    expect(await messages()).toEqual([
      expect.stringMatching(/^RS-LN-24 .* is not in its page .*\/timemap\/1\/2$/),
    ]);
    source.answers.delete('/timemap/1/2');
    expect(await messages()).toEqual([expect.stringMatching(/^RS-LN-24 .*\/timemap\/1\/2 answers 404$/)]);
  });

  test('RS-LN-24: where the pages do not say of which time they are, the TimeMap is not judged', async () => {
    page(listed(), '');
    const { findings, summary } = await findingsOf();
    expect(findings).toEqual([]);
    expect(summary.notes).toEqual([
      expect.stringContaining('whether it lists the memento, could not be checked'),
    ]);
    page(listed(), period('Tue, 02 Dec 2025 00:00:00 GMT'));
    expect((await findingsOf()).findings).toEqual([]);
    expect(source.asked).not.toContain('/timemap/1/2');
  });

  test('a TimeMap of another type is only held against what its link says', async () => {
    source.edit('/rl-1.xml', 'application/link-format', 'application/json');
    source.answers.set('/timemap/1', { headers: { 'content-type': 'application/json' }, body: '{}' });
    expect((await findingsOf()).findings).toEqual([]);
  });

  test('RS-LN-18: what never changes may be its own memento', async () => {
    source.edit('/rl-1.xml', /(rel="memento" href="[^"]*\/r\/1)-memento/, '$1');
    const { headers, body } = source.answers.get('/r/1-memento') ?? {};
    const own = { ...headers, 'last-modified': datetime };
    source.answers.set('/r/1', { headers: own, body: body ?? '' });
    source.answers.delete('/timemap/1');
    source.edit('/rl-1.xml', /<rs:ln rel="timemap"[^>]*>/, '');
    expect((await findingsOf()).findings).toEqual([]);
  });

  test('however many links an entry has, those to its past are followed', async () => {
    const others = Array.from(
      { length: 20 },
      (_, number) => `<rs:ln rel="alternate" href="${source.origin}/x/${number}" type="text/plain"/>`,
    ).join('');
    source.edit('/rl-1.xml', '<rs:ln rel="memento"', `${others}$&`);
    await findingsOf();
    expect(source.asked.filter((path) => path.startsWith('/x/'))).toHaveLength(8);
    expect(source.asked).toEqual(expect.arrayContaining(['/r/1-memento', '/timegate/1', '/timemap/1']));
  });

  test('RS-LN-19, RS-LN-20: the mementos of changes are followed, too; what is gone may have had its time', async () => {
    const link = `<rs:ln rel="memento" href="${source.origin}/r/4-memento" ${state}/>`;
    source.edit('/cl-1.xml', '/></url>', `/>${link}</url>`);
    source.answers.set('/r/4-memento', {
      headers: { 'memento-datetime': datetime, link: `<${source.origin}/r/4>; rel="original"` },
    });
    expect((await findingsOf()).findings).toEqual([]);
    expect(source.asked).toContain('/r/4-memento');
    source.answers.set('/r/4-memento', {
      headers: { 'memento-datetime': datetime, link: `<${source.origin}/r/9>; rel="original"` },
    });
    expect(await messages()).toEqual([expect.stringMatching(/^RS-LN-18 memento .* is one of .*\/r\/9$/)]);
    source.answers.delete('/r/4-memento');
    const { findings } = await findingsOf();
    expect(findings).toMatchObject([{ rule: 'RS-LN-19', severity: 'warning' }]);
  });
});
