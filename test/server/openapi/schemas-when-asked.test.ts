import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemasWhenAsked } from '../../../src/server/openapi/schemas-when-asked.ts';
import { dashboard } from '../../house/server/dashboard.ts';
import { openHouse } from '../../house/server/fixture.ts';

const schema = {
  querystring: {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, default: 10 },
      set: { type: 'array', items: { type: 'string' } },
      at: { type: 'string', format: 'date-time' },
    },
    additionalProperties: false,
  },
  params: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } },
  body: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
};

let both: readonly FastifyInstance[];
beforeAll(() => {
  both = [Fastify(), Fastify({ schemaController: schemasWhenAsked() })];
  for (const app of both)
    app.post('/:name', { schema }, async ({ query, params, body }) => ({ query, params, body }));
});
afterAll(() => Promise.all(both.map((app) => app.close())));

test.each([
  [
    'what is right, with its defaults, and as the types that are asked for',
    '/a?limit=3&set=x&more=1',
    { url: 'u' },
  ],
  ['a body that is none', '/a', undefined],
  ['a body without what it needs', '/a', {}],
  ['a number that is too small', '/a?limit=0', { url: 'u' }],
  ['a time that is none', '/a?at=yesterday', { url: 'u' }],
  ['a name that is too long', '/abcd', { url: 'u' }],
])('%s: answered as Fastify answers it by itself, the second time, too', async (_what, url, body) => {
  const answers = [];
  for (const app of [...both, ...both]) {
    const { statusCode, payload } = await app.inject({ method: 'POST', url, ...(body && { body }) });
    answers.push({ statusCode, payload });
  }
  expect(answers[0]?.payload).not.toBe('');
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

test('what is noticed late would be a schema that cannot be compiled: all of ours can be', async () => {
  const house = await openHouse({ admin: dashboard });
  const schemas: FastifySchema[] = [];
  house.app.addHook('onRoute', ({ schema }: RouteOptions) => {
    if (schema) schemas.push(schema);
  });
  await house.app.ready();
  await house.close();
  expect(schemas.length).toBeGreaterThan(30);
  const plain = Fastify();
  for (const [number, { body, querystring, params }] of schemas.entries()) {
    const asked = Object.entries({ body, querystring, params }).filter(([, part]) => part !== undefined);
    plain.post(`/${number}/:a`, { schema: Object.fromEntries(asked) }, async () => '');
  }
  await plain.ready();
  await plain.close();
});
