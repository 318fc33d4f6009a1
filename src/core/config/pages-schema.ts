import { Type } from '@sinclair/typebox';
import { closed } from './source-schema.ts';

/** How our pages speak to people. */
export const pagesSchema = Type.Object(
  {
    language: Type.Union([Type.Literal('en'), Type.Literal('ja')], {
      default: 'en',
      description:
        'The language of the pages for whoever asks for none that we have (by `?lang=`, by the link on the page, or by the settings of the browser), and of exported pages.',
    }),
    timeZone: Type.String({
      minLength: 1,
      default: 'UTC',
      description:
        'The time zone of times on pages, such as Asia/Tokyo; default: `timeZone`. UTC stands beside. Documents and JSON have UTC alone.',
    }),
  },
  { ...closed, default: {}, description: 'The HTML pages.' },
);
