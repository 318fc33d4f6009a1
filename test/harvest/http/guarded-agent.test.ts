import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { RestingAgent } from '../../../src/harvest/http/guarded-agent.ts';
import { type Answer, openUpstream } from '../../house/server/loopback-upstream.ts';

const serve = (answer: Answer) => openUpstream({ '*': answer });

/** One that tells when somebody has looked, for the second time, whether it is busy. */
function watched(): { readonly agent: Agent; readonly looked: Promise<void> } {
  const agent = new Agent();
  const looked = new Promise<void>((resolve) => {
    let looks = 0;
    Object.defineProperty(agent, 'stats', {
      get: () => {
        looks += 1;
        if (looks === 2) resolve();
        return Reflect.get(Agent.prototype, 'stats', agent);
      },
    });
  });
  return { agent, looked };
}

test('An agent that nobody asks by goes when its answers are over, and the next request has another one', async () => {
  const begun: ServerResponse[] = [];
  const { origin: url, close } = await serve((_, response) => {
    begun.push(response);
    response.write('first ');
  });
  const first = watched();
  const made = [first.agent];
  const resting = new RestingAgent(() => made.pop() ?? new Agent(), 1);
  try {
    const { body } = await request(url, { dispatcher: resting.agent });
    await first.looked;
    const gone = once(first.agent, 'disconnect');
    begun[0]?.end('last');
    expect(await body.text()).toBe('first last');
    await gone;
    expect(resting.agent).not.toBe(first.agent);
    const next = await request(url, { dispatcher: resting.agent });
    begun[1]?.end('last');
    expect(await next.body.text()).toBe('first last');
  } finally {
    await resting.destroy();
    await close();
  }
});

test('It is the same agent until then; what is under way when all is over is given up', async () => {
  const { origin: url, close } = await serve((_, response) => response.write('first '));
  const resting = new RestingAgent(() => new Agent());
  const { agent } = resting;
  const { body } = await request(url, { dispatcher: agent });
  expect(resting.agent).toBe(agent);
  const ended = body.text().catch((error: Error) => error.name);
  await resting.destroy();
  expect(await ended).toBe('ClientDestroyedError');
  await close();
});
