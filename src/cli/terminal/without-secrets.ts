import type { Writable } from 'node:stream';
import { redact } from '../../core/secrets.ts';

/** What is said in words loses its secrets; bytes (of a resource as it was) are passed on as they are. */
export function withoutSecrets<Stream extends Writable>(stream: Stream): Stream {
  const write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(stream.write, stream, [typeof chunk === 'string' ? redact(chunk) : chunk, ...rest]);
  return new Proxy(stream, {
    get: (target, key) => {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
