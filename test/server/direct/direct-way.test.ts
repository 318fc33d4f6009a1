import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MementosConfig } from '../../../src/core/config/config.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { itemPath } from '../../../src/core/uris.ts';
import { createDocumentPasts } from '../../../src/server/past/document-past.ts';
import { endWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { exchange, type House, openHouse, seedResource } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** What is answered past the router is what its handler answers, octet by octet. */
describeOnBoth('a request that is answered at once', (open) => {
  let living: LivingSource;
  /** Of the same things: one that may answer at once, and one that never does. */
  let [house, other]: House[] = [];
  let isServed: boolean | Promise<boolean>;
  let mementos: MementosConfig;
  /** Requests that went the long way. */
  let long: number;

  beforeEach(async () => {
    const { database } = open();
    living = await LivingSource.begin(database);
    const { publication, clock, directory } = living;
    const sets = [living.set('all'), living.set('metadata')];
    isServed = true;
    mementos = { links: 'none', ofDeleted: true, keep: 'all' };
    const deps = {
      ...{ publication, baseUrl, database, clock, directory },
      setsOf: () => sets,
      servesSource: () => isServed,
      mementosOf: () => mementos,
      documentPasts: createDocumentPasts({
        ...{ database, publication, baseUrl, clock, sets: () => sets },
        listsInTime: { find: async () => undefined, close: async () => undefined },
      }),
      log: pino({ level: 'silent' }),
    };
    house = await openHouse(deps);
    // Whoever admits each request has them all.
    other = await openHouse({ ...deps, admit: async () => undefined });
    long = 0;
    house.app.addHook('onRequest', (_request, _reply, done) => {
      long += 1;
      done();
    });
    await living.deliver('a', { collections: ['x', 'x:y'] });
    living.clock.set('2026-11-21T12:10:00Z');
    // Large enough to be told as a difference.
    for (const [text, at] of [
      ['before '.repeat(200), '2026-11-21T12:20:00Z'],
      [`${'before '.repeat(200)}and after`, '2026-11-21T12:30:00Z'],
    ] as const) {
      await living.deliver('b', { text });
      living.clock.set(at);
    }
    living.clock.set('2026-11-21T13:00:00Z');
  });
  afterEach(async () => {
    for (const one of [house, other]) await one?.app.close();
    await living.end();
  });

  const last = 'GET /livez HTTP/1.1\r\nHost: bridge\r\nConnection: close\r\n\r\n';
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  const item = (name: string) => `${prefix}/${living.name}/items/${name}/oai_dc.xml`;
  const gate = (name: string) => `${prefix}/timegate/${baseUrl}/${living.name}/items/${name}/oai_dc.xml`;

  /** On a connection that is kept until its answer has come. */
  async function raw(of: House | undefined, head: string): Promise<string> {
    if (!of) throw new Error('there is no house');
    const answer = await exchange(await of.origin(), `${head}\r\n`, last);
    // No answer of ours has it within.
    const end = answer.lastIndexOf('HTTP/1.1 200 OK');
    return (end > 0 ? answer.slice(0, end) : answer).replace(/\r\nDate: [^\r]*/g, '');
  }

  /** @returns whether it was answered at once, after a look at whether that is what it should be */
  async function compare(path: string, lines = '', method = 'GET') {
    const head = `${method} ${path} HTTP/1.1\r\nHost: bridge\r\n${lines === '' ? '' : `${lines}\r\n`}`;
    const before = long;
    const answer = await raw(house, head);
    expect(answer, head).toBe(await raw(other, head));
    const ends = /\r\nConnection: close\r\n/.test(answer);
    return { atOnce: long === before + (ends ? 0 : 1), status: Number(answer.slice(9, 12)), answer };
  }

  const digestOf = (answer: string) => /ETag: ("[^"]*")/.exec(answer)?.[1] ?? '';

  it('has the same answer for metadata, whatever it is asked with', async () => {
    const { answer } = await compare(item('a'));
    expect(answer).toContain('rel="collection"');
    const usual = [
      ['', 200],
      ['Accept: text/html', 200],
      ['Connection: keep-alive', 200],
      ['Connection: close', 200],
      ['Accept-Encoding: gzip', 200],
      [`If-None-Match: ${digestOf(answer)}`, 304],
      [`If-None-Match: W/${digestOf(answer)}, "other"`, 304],
      ['If-None-Match: *', 304],
      ['If-None-Match: "other"', 200],
      ['If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT', 304],
      ['If-Modified-Since: Wed, 31 Dec 2025 23:59:59 GMT', 200],
      ['If-Modified-Since: yesterday', 200],
      [`If-None-Match: "other"\r\nIf-Modified-Since: Sat, 21 Nov 2026 12:00:00 GMT`, 200],
    ] as const;
    for (const [lines, status] of usual)
      expect(await compare(item('a'), lines), lines).toMatchObject({ status, atOnce: true });
    const unusual = [
      ['Range: bytes=0-3', 206],
      ['If-Match: "other"', 412],
      ['Content-Length: 0', 200],
    ] as const;
    for (const [lines, status] of unusual)
      expect(await compare(item('a'), lines), lines).toMatchObject({ status, atOnce: false });
    expect(await compare(item('a'), '', 'HEAD')).toMatchObject({ status: 200, atOnce: false });
    expect(await compare(item('b'))).toMatchObject({ status: 200, atOnce: true });
  });

  it('understands an address however it is written', async () => {
    const path = item('a');
    const same = [path.slice(prefix.length), path.replace('/items/', '/%69tems/'), `http://bridge${path}`];
    for (const one of same) expect(await compare(one), one).toMatchObject({ status: 200, atOnce: true });
    const others = [
      [`${path}?a=b`, 200],
      [`${path}/`, 404],
      [path.replace('/items/', '//items/'), 404],
      [path.replace('/items/', '/./items/'), 404],
      [path.replace('oai_dc', 'mods'), 404],
      [path.replace('/oai_dc.xml', ''), 200],
      [path.replace('/items/a', '/items/none'), 404],
      [path.replace('oai_dc', 'oai%00dc'), 404],
    ] as const;
    for (const [one, status] of others)
      expect(await compare(one), one).toMatchObject({ status, atOnce: false });
  });

  it('names the other formats of its item, and what else there is', async () => {
    const { database } = open();
    const identifier = 'oai:repo.example.org:many';
    for (const format of ['mods', 'oai_dc', 'didl', 'gone'])
      await seedResource(database, {
        ...{ identifier, format, content: `<${format}/>` },
        links: [
          { rel: 'describes', href: 'https://repo.example.org/1' },
          { rel: 'profile', href: `urn:${format}` },
          { rel: 'via', href: 'https://repo.example.org/oai?verb=GetRecord' },
          { rel: 'license', href: 'https://creativecommons.org/licenses/by/4.0/' },
          { rel: 'no relation', href: 'https://a.example.org/', type: 'no type' },
        ],
        ...(format === 'gone' && { deletedAt: '2026-11-20T09:00:00Z' }),
      });
    const path = `${prefix}/kyushu/items/oai:repo.example.org:many/oai_dc.xml`;
    const { answer, ...rest } = await compare(path);
    expect(rest).toEqual({ status: 200, atOnce: true });
    expect(answer).toMatch(/didl\.xml>; rel="alternate".*mods\.xml>; rel="alternate"/);
    expect(answer).not.toContain('gone.xml');
    expect(await compare(path.replace('oai_dc.xml', 'gone.xml'))).toMatchObject({
      status: 410,
      atOnce: false,
    });
  });

  it('leaves to the long way what the database cannot tell, and says the same of it', async () => {
    const { database } = open();
    const rename = (from: string, to: string) => database.writer.raw(`alter table ${from} rename to ${to}`);
    expect(await compare(item('a'))).toMatchObject({ status: 200, atOnce: true });
    await rename('blob', 'nowhere');
    try {
      expect(await compare(item('a'))).toMatchObject({ status: 500, atOnce: false });
      expect(await compare(gate('a'))).toMatchObject({ status: 302 });
    } finally {
      await rename('nowhere', 'blob');
    }
    expect(await compare(item('a'))).toMatchObject({ status: 200, atOnce: true });
  });

  it('knows the item of an address that has only a part of its identifier', async () => {
    const identifier = `oai:repo.example.org:${'long/'.repeat(60)}`;
    await seedResource(open().database, { identifier, content: '<long/>' });
    const path = itemPath('kyushu', identifier);
    expect(path).toContain('~.');
    const { answer, ...rest } = await compare(`${prefix}/${path}/oai_dc.xml`);
    // Rare enough for another statement where the database is asked over the network.
    expect(rest).toEqual({ status: 200, atOnce: open().database.client === 'sqlite' });
    expect(answer).toContain(`${path}>; rel="describes"`);
  });

  it('leaves what is large, damaged, missing, a file, or cannot be sent to the handler', async () => {
    const { database } = open();
    const seed = (identifier: string, more: Parameters<typeof seedResource>[1]) =>
      seedResource(database, { identifier, ...more });
    await seed('large', { content: `<a>${'large '.repeat(20_000)}</a>` });
    await seed('missing', { content: '<missing/>', keep: false });
    await seed('damaged', { content: '<damaged/>' });
    await seed('later', { lastmod: '2026-11-22T00:00:00Z', content: '<later/>' });
    // As Latin-1 these two are the end of a line.
    await seed('split', { mediaType: 'text/xml;\u010d\u010aX-Split: yes', content: '<split/>' });
    await seed('file', { kind: 'file', format: 'file', content: 'file', name: '1-a.xml' });
    await database
      .writer('blob')
      .where({ length: '<damaged/>'.length })
      .update({ data: Buffer.from('<Damaged/>'), coding: 'identity' });
    const cases = [
      ['large/oai_dc.xml', 200],
      ['missing/oai_dc.xml', 500],
      ['damaged/oai_dc.xml', 500],
      ['later/oai_dc.xml', 200],
      ['split/oai_dc.xml', 500],
      ['file/files/1-a.xml', 200],
    ] as const;
    for (const [path, status] of cases)
      expect(await compare(`${prefix}/kyushu/items/${path}`), path).toMatchObject({ status, atOnce: false });
  });

  it('has the same answer for a TimeGate', async () => {
    const at = (time: string) => `Accept-Datetime: Sat, 21 Nov 2026 ${time} GMT`;
    for (const lines of [
      '',
      'Accept-Datetime: ',
      at('11:00:00'),
      at('12:10:00'),
      at('12:19:59'),
      at('23:00:00'),
    ])
      for (const name of ['a', 'b'])
        expect(await compare(gate(name), lines), lines).toMatchObject({ status: 302, atOnce: true });
    expect((await compare(gate('b'), at('12:19:59'))).answer).toContain('/memento/20260101000000/');
    const uri = `${baseUrl}/${living.name}/items/b/oai_dc.xml`;
    for (const one of [uri.replace('https:', 'http:'), encodeURIComponent(uri), uri.replace('://', ':/')])
      expect(await compare(`${prefix}/timegate/${one}`), one).toMatchObject({
        status: 302,
        atOnce: true,
      });
    const others = [
      [gate('b'), 'Accept-Datetime: yesterday', 400],
      [gate('none'), '', 404],
      [`${prefix}/timegate/https://elsewhere.example.org/a`, '', 404],
      [`${prefix}/timegate/${baseUrl}/${living.name}/resourcelist.xml`, '', 404],
      [`${gate('b')}?a=b`, '', 404],
    ] as const;
    for (const [path, lines, status] of others)
      expect(await compare(path, lines), path).toMatchObject({ status, atOnce: false });
  });

  it('tells of what was deleted, and came back, what the handler tells', async () => {
    living.clock.set('2026-11-21T13:10:00Z');
    await living.deliver('b', { deleted: true });
    living.clock.set('2026-11-21T13:20:00Z');
    expect(await compare(item('b'))).toMatchObject({ status: 410, atOnce: false });
    // What it was is still there.
    const before = 'Accept-Datetime: Sat, 21 Nov 2026 13:00:00 GMT';
    const between = 'Accept-Datetime: Sat, 21 Nov 2026 13:15:00 GMT';
    expect(await compare(gate('b'), before)).toMatchObject({ status: 302, atOnce: true });
    expect(await compare(gate('b'), between)).toMatchObject({ status: 404, atOnce: false });
    expect(await compare(gate('b'))).toMatchObject({ status: 302, atOnce: true });
    mementos = { ...mementos, ofDeleted: false };
    expect(await compare(gate('b'), before)).toMatchObject({ status: 404, atOnce: false });
    await living.deliver('b', { text: 'back' });
    living.clock.set('2026-11-21T13:30:00Z');
    expect(await compare(item('b'))).toMatchObject({ status: 200, atOnce: true });
    expect(await compare(gate('b'), between)).toMatchObject({ status: 404, atOnce: false });
    expect(await compare(gate('b'), before)).toMatchObject({ status: 302, atOnce: true });
  });

  it('hands out nothing that was withdrawn, or of a source that is not served', async () => {
    const { database } = open();
    const place = { source: living.name, identifier: 'a', path: undefined };
    for (const path of [item('a'), gate('a')]) await compare(path);
    await withdraw(database, place, 'asked for', toIso(living.clock.now()));
    expect(await compare(item('a'))).toMatchObject({ status: 410, atOnce: false });
    expect(await compare(gate('a'))).toMatchObject({ status: 404, atOnce: false });
    await endWithdrawals(database, [place]);
    expect(await compare(item('a'))).toMatchObject({ status: 200, atOnce: true });
    for (const answer of [false, Promise.resolve(false)]) {
      isServed = answer;
      for (const path of [item('b'), gate('b')])
        expect(await compare(path), path).toMatchObject({ status: 404, atOnce: false });
    }
    isServed = Promise.resolve(true);
    expect(await compare(item('b'))).toMatchObject({ status: 200, atOnce: false });
  });

  it('is counted as the others are', async () => {
    for (let asked = 0; asked < 4; asked += 1) await compare(item('a'));
    await compare(gate('a'));
    const { answer } = await compare(`${prefix}/livez`).then(() => ({ answer: '' }));
    expect(answer).toBe('');
    const metrics = await raw(house, `GET ${prefix}/metrics HTTP/1.1\r\nHost: bridge\r\n`);
    expect(metrics).toContain('rsbridge_http_requests_total{operation="getResource",status="2xx"} 4');
    expect(metrics).toContain('rsbridge_http_requests_total{operation="getTimeGate",status="3xx"} 1');
  });

  it('is answered to the next request of a connection that is kept', async () => {
    const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: bridge\r\n`;
    const all = [item('a'), gate('a'), item('none'), item('b')];
    const text = `${all.map(head).join('\r\n')}`;
    const answers = await raw(house, text);
    expect(answers).toBe(await raw(other, text));
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(
      ['200', '302', '404', '200'].map((one) => `HTTP/1.1 ${one}`),
    );
  });

  it('is answered for itself where many come together', async () => {
    const paths = Array.from(
      { length: 80 },
      (_, at) => [item('a'), gate('b'), item('none'), item('b')][at % 4],
    );
    const all = (of: House | undefined) =>
      Promise.all(paths.map((path) => raw(of, `GET ${path} HTTP/1.1\r\nHost: bridge\r\n`)));
    expect(await all(house)).toEqual(await all(other));
  });

  it.each(['Node', 'nobody'])('is answered where the server closes after %s has read it', async (way) => {
    const origin = await house?.origin();
    let closed: Promise<unknown> | undefined;
    const close = () => {
      closed = house?.app.close();
    };
    // Behind our own listeners, in the same turn.
    if (way === 'Node') house?.app.server.once('request', close);
    else house?.app.server.once('connection', (socket) => socket.once('data', close));
    const answer = await exchange(
      origin ?? '',
      `GET ${item('a')} HTTP/1.1\r\nHost: bridge\r\n${way === 'Node' ? 'Accept:\r\n' : ''}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });
});
