import { describe, it } from '@jest/globals';
import { describeMaskerContract } from '@spandrel/plugin-api/testing';
import email from './index.js';

describeMaskerContract(
  {
    plugin: email,
    texts: [
      {
        text: 'Write to Jane.Doe+news@Example.co.uk.',
        values: ['Jane.Doe+news@Example.co.uk'],
        canonical: 'jane.doe+news@example.co.uk',
      },
      { text: '"jörg@müller.de", <o\'brien@example.ie>', values: ['jörg@müller.de', "o'brien@example.ie"] },
      {
        text: 'https://example.com/?mail=jane%40example.com&x=1',
        values: ['jane%40example.com'],
        canonical: 'jane@example.com',
      },
      { text: 'mailto:a@b.co,c@d.org;e@f.net', values: ['a@b.co', 'c@d.org', 'e@f.net'] },
      { text: 'user@xn--bcher-kva.example', values: ['user@xn--bcher-kva.example'] },
      {
        text: 'jane@firma.technology, jane@xn--fiqs8s.xn--fiqs8s, jane@example.ai, j@x.travelersinsurance',
        values: ['jane@firma.technology', 'jane@xn--fiqs8s.xn--fiqs8s', 'jane@example.ai', 'j@x.travelersinsurance'],
      },
      {
        text: '用户@例子.中国, почта@пример.рф, üser@bücher.example',
        values: ['用户@例子.中国', 'почта@пример.рф', 'üser@bücher.example'],
      },
      { text: 'jane@example。com', values: ['jane@example。com'], canonical: 'jane@example.com' },
      {
        text: '请联系jane@example.com谢谢。写给jane@example.cn。谢谢',
        values: ['jane@example.com', 'jane@example.cn'],
      },
      { text: 'jane@example.com.', values: ['jane@example.com'] },
      { text: 'jane@example.com-', values: ['jane@example.com'] },
      { text: 'jane@2x.png, jane@sub.example.png, a@b.1, a@b.c, a@.com, a@-b.com', values: [] },
      { text: '@jane, jane@, root@localhost, a @ b.com', values: [] },
      { text: 'icon@2x.png, zod@4.6.7, @scope/name@1.0.0', values: [] },
      { text: 'a@b@c.de', values: ['b@c.de'] },
    ],
  },
  { describe, it },
);
