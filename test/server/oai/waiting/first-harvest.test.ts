import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { pauseSources, resumeSources } from '../../../../src/store/sources/pauses.ts';
import { saveTrouble } from '../../../../src/store/sources/sources.ts';
import { OaiHouse } from '../../../house/server/oai-house.ts';
import { describeOnBoth } from '../../../house/store/databases.ts';

const now = '2026-11-21T10:00:00Z';
const at = Date.parse(now);
const hour = 3_600_000;

describeOnBoth('OAI-PMH of a source that was never harvested', (open) => {
  let house: OaiHouse;
  beforeAll(async () => {
    house = await OaiHouse.open(open().database);
    await house.database.writer('source').update({ info: null });
  });
  afterAll(() => house?.close());
  beforeEach(async () => {
    await house.database.writer('due').delete();
    await resumeSources(house.database, [house.source]);
  });

  async function answer() {
    const { statusCode, headers, body } = await house.app.inject({
      url: `/${house.source}/oai?verb=Identify`,
      headers: { accept: 'application/json' },
    });
    return [statusCode, headers['retry-after'], JSON.parse(body).detail];
  }
  const due = (row: object, kind = 'harvest') =>
    house.database.writer('due').insert({ source: house.source, kind, schedule: 'x', ...row });
  const said = (why: string) => `nothing has been harvested from this source yet: ${why}`;

  test('is asked again soon while that is under way, or about to begin', async () => {
    await due({ due_at: at - hour });
    expect(await answer()).toEqual([503, '30', said('its first harvest is due now')]);
    await house.database.writer('due').update({ holder: 'elsewhere/1/a', expires: at + hour });
    // Somebody has it read although it is paused.
    await pauseSources(house.database, [pause(undefined)]);
    expect(await answer()).toEqual([503, '30', said('its first harvest is under way')]);
  });

  test('is asked again when it can be there, and is told why', async () => {
    expect(await answer()).toEqual([503, '3600', said('no harvest of it is planned')]);
    // Without a schedule, or after the first one: everything is read once a week.
    await due({ due_at: null });
    await due({ due_at: at + 48 * hour }, 'full');
    expect(await answer()).toEqual([503, '86400', said('its first harvest is due at 2026-11-23T10:00:00Z')]);
    await house.database
      .writer('due')
      .where({ kind: 'harvest' })
      .update({ due_at: at + 2 * hour });
    expect(await answer()).toEqual([503, '7200', said('its first harvest is due at 2026-11-21T12:00:00Z')]);
  });

  test('that is paused says so', async () => {
    await due({ due_at: at - hour });
    await pauseSources(house.database, [pause(undefined)]);
    expect(await answer()).toEqual([503, '3600', said('it is paused')]);
    await pauseSources(house.database, [pause('2026-11-21T13:00:00Z')]);
    expect(await answer()).toEqual([503, '10800', said('it is paused until 2026-11-21T13:00:00Z')]);
  });

  test('because that failed says when it is tried again, and not what the repository said', async () => {
    await due({ due_at: at + hour / 2, attempts: 3 });
    const again = said('its first harvest failed, and it is tried again at 2026-11-21T10:30:00Z');
    expect(await answer()).toEqual([503, '1800', again]);
    await house.database.writer('due').update({ due_at: null, attempts: 0 });
    const trouble = { code: 'upstream-status', message: 'a password', at: now } as const;
    await saveTrouble(house.database.writer, house.sourceId, trouble);
    const never = said('its first harvest failed, and no other one is planned');
    expect(await answer()).toEqual([503, '3600', never]);
  });

  const pause = (until: string | undefined) => ({
    ...{ source: house.source, since: now, until },
    reason: undefined,
  });
});
