import type { FastifyInstance } from 'fastify';
import { refuse } from '../../http/errors.ts';

/** The fields of a form; of one that is there twice, the last, but for those that are lists. */
export type Form = Readonly<Record<string, string>>;

/** More than any of our forms has; `sources` of a table counts once for each. */
const mostFields = 2000;

/** Fields of which several may be chosen, and what is put between them. */
const lists = { source: ' ', format: '\n', set: '\n' } as const;

/** Takes what a browser sends of a form, and nothing else. */
export function takeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      const params = new URLSearchParams(body.toString());
      if (params.size > mostFields) return done(refuse('bad-request', 'form-too-large', {}));
      // No prototype: a field may have any name.
      const form: Record<string, string> = Object.create(null);
      for (const [name, value] of params) form[name] = value;
      for (const [name, between] of Object.entries(lists)) {
        const all = params.getAll(name);
        if (all.length > 1) form[name] = all.join(between);
      }
      done(null, form);
    },
  );
}

export function formOf(body: unknown): Form {
  return (body ?? {}) as Form;
}
