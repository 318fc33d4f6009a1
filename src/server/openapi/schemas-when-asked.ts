import { createRequire } from 'node:module';
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type BuildValidator = NonNullable<NonNullable<SchemaController['compilersFactory']>['buildValidator']>;
type Compile = FastifySchemaCompiler<unknown>;
/** @param settings schemas that others refer to, and those of Ajv */
type BuildCompile = (...settings: readonly unknown[]) => Compile;

/**
 * A route's schemas become code when somebody first asks there, and their compiler, which comes with Fastify, is loaded for the first of
 * them: together that was a fourth of the start of `serve`, and most processes are asked at few of their routes.
 */
export function schemasWhenAsked(): SchemaController {
  return {
    compilersFactory: {
      // Typed as what Ajv makes of a schema alone; Fastify asks with its route.
      buildValidator: compileWhenAsked as unknown as BuildValidator,
      // No route of ours has a schema of its answers.
      buildSerializer: () => () => JSON.stringify,
    },
  };
}

function compileWhenAsked(...settings: readonly unknown[]): Compile {
  let compile: Compile | undefined;
  return (part) => {
    let validate: ReturnType<Compile> | undefined;
    return (data) => {
      compile ??= fastifysCompiler()(...settings);
      validate ??= compile(part);
      return validate(data) || { error: (validate.errors ?? []).map(withWords) };
    };
  };
}

/** Ajv says that it has to be one of some, and not which. */
function withWords<Fault extends { readonly params: Record<string, unknown>; readonly message?: string }>(
  fault: Fault,
): Fault {
  const { allowedValues } = fault.params;
  if (!Array.isArray(allowedValues)) return fault;
  return { ...fault, message: `${fault.message}: ${allowedValues.join(', ')}` };
}

function fastifysCompiler(): BuildCompile {
  const require = createRequire(import.meta.url);
  return createRequire(require.resolve('fastify'))('@fastify/ajv-compiler')();
}
