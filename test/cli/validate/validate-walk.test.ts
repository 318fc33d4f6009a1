import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findingsOf, run, source, useSmallSource } from '../../house/cli/validated-source.ts';

useSmallSource();

describe('discovery and safety', () => {
  test('RS-DISC-02: a Source Description elsewhere is reached, and the well-known URI missed', async () => {
    const description = source.answers.get('/.well-known/resourcesync') ?? {};
    source.answers.set('/sd.xml', description);
    source.answers.delete('/.well-known/resourcesync');
    source.edit('/cap.xml', '.well-known/resourcesync', 'sd.xml');
    const { code, stdout } = await run(`${source.origin}/cl.xml`);
    expect(code).toBe(0);
    expect(stdout).toContain('warning RS-DISC-02  document: it answers 404; the Source Description is');
  });

  test('RS-SD-03: a Capability List that its Source Description does not know', async () => {
    source.edit('/.well-known/resourcesync', '/cap.xml', '/other.xml');
    const { code, stdout } = await run(`${source.origin}/cap.xml`);
    expect(code).toBe(4);
    expect(stdout).toContain('warning RS-SD-03  document: the Source Description');
  });

  test('RS-DISC-04: a home page leads to its Capability List', async () => {
    source.answers.delete('/.well-known/resourcesync');
    const page = '<!doctype html><html><head><link rel="resourcesync" href="cap.xml"></head></html>';
    source.answers.set('/home', { headers: { 'content-type': 'text/html' }, body: page });
    const { stdout } = await run(`${source.origin}/home`);
    expect(stdout).toContain('/cap.xml (urlset of capabilitylist');
    expect(stdout).not.toContain('RS-DISC-04');
  });

  test('links to private addresses are refused, unless they are allowed', async () => {
    source.edit(
      '/.well-known/resourcesync',
      /<loc>http:\/\/127.0.0.1:\d+/,
      '<loc>http://[::ffff:169.254.0.1]:1',
    );
    const { stdout } = await run(source.origin);
    expect(stdout).toMatch(/error {3}RS-SD-04 {2}.*a9fe:1 is not a public address; --allow-private follows/);
    const { stdout: allowed } = await run(source.origin, '--allow-private');
    expect(allowed).not.toContain('is not a public address');
  });

  test('from a loopback address other loopback addresses are followed', async () => {
    source.edit('/.well-known/resourcesync', '<loc>http://127.0.0.1', '<loc>http://localhost');
    const { stdout } = await run(source.origin);
    expect(stdout).not.toContain('is not a public address');
    expect(stdout).toContain('RS-NAV-09');
  });

  test('a redirect that is refused or leads nowhere concerns that one request', async () => {
    for (const location of ['http://10.0.0.1/x.xml', 'file:///etc/passwd']) {
      source.answers.set('/rl-2.xml', { status: 302, headers: { location } });
      const { findings } = await findingsOf();
      expect(
        findings.map(({ rule }) => rule),
        location,
      ).toEqual(['RS-RLI-06']);
    }
    source.answers.set('/rl-2.xml', { status: 302, headers: { location: 'http://127.0.0.1:1/' } });
    expect((await findingsOf()).findings.map(({ rule }) => rule)).toEqual(['RS-RLI-06']);
  });

  test('RS-GEN-19: what was cut short is not judged', async () => {
    for (const path of ['/rl-2.xml', '/cl.xml', '/.well-known/resourcesync']) {
      const before = source.answers.get(path) ?? {};
      const headers = { ...before.headers, 'content-length': '99999', connection: 'close' };
      source.answers.set(path, { headers, body: '<urlset/>' });
      const { findings } = await findingsOf();
      expect(findings.map(({ rule }) => rule)).toEqual(['RS-GEN-19']);
      expect(findings[0]?.message).toContain('cut short');
      source.answers.set(path, before);
    }
  });

  test('a package that is gzip is named as that, and its hash is that of its bytes', async () => {
    for (const body of [gzipSync('a tar archive'), Buffer.from('\x1f\x8b and no more', 'latin1')]) {
      const hash = createHash('sha256').update(body).digest('hex');
      for (const [dump, zip] of [
        ['/rd.xml', '/rd-1.zip'],
        ['/cd.xml', '/cd-1.zip'],
      ] as const) {
        source.answers.set(zip, { headers: { 'content-type': 'application/zip' }, body });
        source.edit(dump, / length="\d+" hash="[^"]*"/, ` length="${body.length}"  hash="sha-256:${hash}"`);
        source.edit(dump, '  hash', ' hash');
      }
      const { rules } = await findingsOf();
      expect(rules).toEqual(new Set(['RS-RD-13', 'RS-CD-10']));
    }
  });

  test('RS-RDM-04: another at than the dump says is an error', async () => {
    source.edit('/rd.xml', /(zip"[^>]*at="2026-01-0)2/, '$13');
    const { findings } = await findingsOf();
    expect(findings.find(({ rule }) => rule === 'RS-RDM-04')?.severity).toBe('error');
  });

  test('a wrong up takes no list out of its set: what changed since is known', async () => {
    source.answers.set('/r/2', { headers: { 'content-type': 'text/plain' }, body: 'It is new.\n' });
    expect((await findingsOf()).findings).toEqual([]);
    for (const [to, expected] of [
      ['/.well-known/resourcesync"', ['RS-NAV-01', 'RS-RL-04']],
      ['/nowhere.xml"', ['RS-NAV-01', 'RS-NAV-02', 'RS-RL-04']],
    ] as const) {
      const before = source.answers.get('/rl-1.xml') ?? {};
      source.edit('/rl-1.xml', '/cap.xml"', to);
      const { rules } = await findingsOf();
      expect([...rules].sort()).toEqual(expected);
      source.answers.set('/rl-1.xml', before);
    }
    source.edit('/rl-1.xml', /rel="up" href="[^"]*"/, 'rel="up" href="/cap.xml"');
    expect((await findingsOf()).rules).toEqual(new Set(['RS-NAV-09']));
  });

  test('the hash of a resource that is a gzip file is that of its bytes', async () => {
    const body = gzipSync('packed');
    source.answers.set('/r/3', { headers: { 'content-type': 'application/gzip' }, body });
    const hash = createHash('sha256').update(body).digest('hex');
    const facts = `hash="sha-256:${hash}" length="${body.length}" type="application/gzip"`;
    source.edit('/rl-2.xml', /hash="[^"]*" length="[^"]*" type="[^"]*"/, facts);
    const { findings, summary } = await findingsOf('--packages', '0');
    expect(findings).toEqual([]);
    expect(summary.notes).toEqual([]);
    source.edit('/rl-2.xml', hash, 'a'.repeat(64));
    expect((await findingsOf('--packages', '0')).rules).toEqual(new Set(['RS-ATTR-09']));
  });

  test('RS-SD-01: a Source Description written as an index is named once', async () => {
    source.edit('/.well-known/resourcesync', /urlset/g, 'sitemapindex');
    source.edit('/.well-known/resourcesync', /<(\/?)url>/g, '<$1sitemap>');
    expect((await findingsOf()).rules).toEqual(new Set(['RS-SD-01']));
  });

  test('RS-CL-18: what left one set for another lives on', async () => {
    const body = 'here';
    source.answers.set('/r/9', { body, headers: { link: '</cap-2.xml>; rel="resourcesync"' } });
    source.answers.set('/cap-2.xml', source.answers.get('/cap.xml') ?? {});
    expect((await findingsOf()).rules).not.toContain('RS-CL-18');
    for (const link of [
      '</cap.xml>; rel="resourcesync"',
      '</rl.xml>; rel="resourcesync"',
      '</x>; rel="up"',
    ]) {
      source.answers.set('/r/9', { body, headers: { link } });
      expect((await findingsOf()).rules, link).toContain('RS-CL-18');
    }
  });

  test('RS-CL-18: what another set lists lives on', async () => {
    source.answers.set('/r/9', { body: 'here' });
    const { origin } = source;
    const second = (path: string) =>
      String(source.answers.get(path)?.body).replaceAll('/cap.xml', '/cap-2.xml');
    const headers = { 'content-type': 'application/xml' };
    const list = second('/rl-1.xml')
      .replace(/<rs:ln rel="index"[^>]*>/, '')
      .replace('/r/1<', '/r/9<');
    source.answers.set('/rl-9.xml', { headers, body: list });
    const entry = `<url><loc>${origin}/rl-9.xml</loc><rs:md capability="resourcelist"/></url>`;
    const capabilityList = second('/cap.xml').replace(/<url>[\s\S]*<\/url>/, entry);
    source.answers.set('/cap-2.xml', { headers, body: capabilityList });
    source.edit('/.well-known/resourcesync', /<url>.*<\/url>/, '$&$&');
    source.edit('/.well-known/resourcesync', '/cap.xml', '/cap-2.xml');
    const { rules, summary } = await findingsOf();
    expect(summary.documents).toBe(15);
    expect(rules).not.toContain('RS-CL-18');
  });

  test('RS-GEN-19: entities are not expanded, and RS-GEN-17: a document without end is left', async () => {
    const bomb = '<!DOCTYPE urlset [<!ENTITY a "&b;&b;"><!ENTITY b "&a;">]>';
    source.edit('/rl-1.xml', '<urlset', `${bomb}<urlset`);
    const { rules } = await findingsOf();
    expect(rules).toContain('RS-GEN-19');
    const line = `<url><loc>https://example.org/${'x'.repeat(1000)}</loc></url>\n`;
    source.edit('/rl-2.xml', '</urlset>', line.repeat(66_000));
    expect((await findingsOf()).rules).toContain('RS-GEN-17');
  });

  test('a package too large is judged by its headers, and that is said', async () => {
    source.edit('/cd.xml', / length="\d+"/, ' length="7"');
    const { summary, rules } = await findingsOf('--max-package-bytes', '600');
    expect(summary.notes).toContainEqual(expect.stringContaining('only its headers were checked'));
    expect(rules).toContain('RS-CD-06');
  });
});
