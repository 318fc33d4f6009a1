import { type Static, Type } from '@sinclair/typebox';

/** Long enough that nobody tries them all; of what a header and a password prompt carry as it is. */
const token = {
  pattern: '^[\\x21-\\x7e]{16,200}$',
  secret: true,
  write:
    '${VARIABLE}, the name of a variable of the environment that holds 16 to 200 visible ASCII characters, or tokenFile: PATH instead',
};

/** Written or not, and whatever is in it: what has this is not for everybody. */
export const accessSchema = Type.Object(
  {
    token: Type.Optional(
      Type.String({ ...token, description: 'One that opens it; write tokenFile: PATH, or ${VARIABLE}.' }),
    ),
    tokens: Type.Optional(
      Type.Array(Type.String(token), {
        uniqueItems: true,
        description: 'Several, each as ${VARIABLE}.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Whoever has no token sees nothing of it (docs/private.md). It is opened by these tokens, and by those that `rsbridge admin tokens add NAME --set SOURCE` makes; `{}`: by those alone.',
    write: '{} or the tokens that open it, such as { tokenFile: PATH }',
  },
);

/** The same of a set, whose items are then in nothing of its source that is for everybody. */
export const setAccessSchema = {
  ...accessSchema,
  description:
    'Its items are for those alone who have a token for it, and in nothing else of the source (docs/private.md); it is a source SOURCE-NAME of its own, with the settings of this one. It is opened by these tokens, and by those that `rsbridge admin tokens add NAME --set SOURCE/NAME` makes; `{}`: by those alone.',
};

export type AccessConfig = Static<typeof accessSchema>;

/** All tokens that open it. */
export function tokensOf({ token: one, tokens = [] }: AccessConfig): readonly string[] {
  return one === undefined ? tokens : [one, ...tokens];
}
