/** What the travellers and engineers of a ferry company say to its assistants, and what these answer. */

const TOPICS = [
  [
    'Refunds',
    'a sailing that the company cancels is paid back in full within seven days, to the card it was paid with',
  ],
  ['Vehicles', 'a vehicle is measured with everything that is fixed to it; bicycles on the rear count as length'],
  ['Pets', 'dogs and cats travel in the pet lounge or in a pet cabin, and show a passport and a vaccination'],
  [
    'Delays',
    'from 60 minutes on passengers get a drink and a meal; from 90 minutes on they may be rebooked without a fee',
  ],
  ['Cabins', 'cabins open an hour after departure; one that is not taken by midnight may be given to somebody else'],
  ['Groups', 'ten people or more are a group: one invoice, one contact, names until three days before departure'],
  ['Accessibility', 'help on board is free, and is asked for 48 hours before; wheelchairs are lent at every port'],
  ['Freight', 'dangerous goods need a declaration, a place on the open deck and the consent of the master'],
  ['Weather', 'above force 9 the master decides; the decision is published two hours before departure at the latest'],
  ['Tickets', 'a saver ticket cannot be changed; a flexible one can be changed until the gate closes, also twice'],
];

/**
 * The handbook that an assistant has as its system prompt.
 * @param rules how many rules it has; 480 are about 25,000 tokens.
 */
export function writeHandbook(rules) {
  const lines = [
    '# Handbook of the assistant of Halyard Ferries',
    '',
    'You answer travellers of Halyard Ferries. Keep to the rules below, quote the number of the rule, never promise what no rule has, and answer in the language of the question.',
    '',
  ];
  for (let n = 0; n < rules; n += 1) {
    const [topic, rule] = TOPICS[n % TOPICS.length];
    if (n % 40 === 0) lines.push(`## Part ${n / 40 + 1}`, '');
    lines.push(
      `**${n + 1}. ${topic}.** On the routes ${ROUTES[n % ROUTES.length]} and ${ROUTES[(n * 7 + 3) % ROUTES.length]}, ${rule}. ` +
        `Exceptions are approved by the duty manager of the port and noted in the booking with the code HF-${1_000 + n}.`,
    );
  }
  return lines.join('\n');
}

const ROUTES = ['Holyhead–Dublin', 'Hirtshals–Bergen', 'Ystad–Rønne', 'Piraeus–Chania', 'Rosslare–Bilbao'];

/** Questions of travellers: what is looked up for them, what is answered, and what they ask next. */
export const QUESTIONS = [
  {
    category: 'refund',
    ask: 'My sailing Holyhead–Dublin tomorrow at 08:15 was cancelled. I had booked a car and a cabin. What do I get back, and when?',
    tool: 'get_booking',
    found: {
      booking: 'HF-77812',
      route: 'Holyhead–Dublin',
      paid: 318.4,
      currency: 'EUR',
      status: 'cancelled_by_company',
    },
    answer:
      'I am sorry about that. **You get everything back: €318.40**, to the card you paid with (rule 1).\n\n| part | amount |\n| --- | ---: |\n| Car up to 5 m | €189.00 |\n| Cabin, two berths | €84.40 |\n| Flexible ticket | €45.00 |\n| **Total** | **€318.40** |\n\nIt takes up to **seven days**. If you would rather travel: there is room at 14:10 tomorrow, without a fee.',
    next: 'Then take the 14:10, please. Does the dog still have its place?',
    nextAnswer:
      'Done: you are on the **14:10**, with car and cabin. Your dog has its place in the pet cabin (rule 3); please have its passport at hand at the gate.\n\n1. Be at the gate by **13:25**.\n2. Show the code `HF-77812`.\n3. Stay in the car until you are waved on.',
  },
  {
    category: 'vehicle',
    ask: 'Our van is 5.4 m long, and there are two bicycles on the back. Which price is it on Ystad–Rønne?',
    tool: 'get_price',
    found: {
      route: 'Ystad–Rønne',
      classes: [
        { up_to_m: 5, eur: 62 },
        { up_to_m: 6, eur: 84 },
        { up_to_m: 8, eur: 121 },
      ],
    },
    answer:
      'Bicycles on the rear **count as length** (rule 2). A carrier with two bicycles adds about 0.7 m, so that your van is 6.1 m long: class *up to 8 m*, **€121** one way.\n\n> Tip: with the bicycles inside the van it is 5.4 m, and €84.',
    next: 'And if we leave one bicycle at home?',
    nextAnswer:
      'The carrier is what counts, not how many bicycles are on it: it stays **€121**. Folded up and inside, it is **€84**.',
  },
  {
    category: 'delay',
    ask: 'We have been waiting in Bergen for 95 minutes and nobody says a thing. What are we entitled to?',
    tool: 'get_sailing',
    found: {
      sailing: 'HB-0412',
      route: 'Hirtshals–Bergen',
      planned: '14:00',
      expected: '15:50',
      reason: 'engine check',
    },
    answer:
      'Your sailing **HB-0412** is expected at **15:50**; the reason is a check of an engine. After 90 minutes you may (rule 4):\n\n- have a drink and a meal at the terminal restaurant (show your boarding pass),\n- **change to any sailing within 14 days without a fee**, or\n- have the price of the ticket back.\n\nShall I look for another sailing?',
    next: 'Yes, tomorrow morning, two adults and a child.',
    nextAnswer:
      'Tomorrow at **09:30** has room for two adults and a child, with seats by the window. I keep them for you until 18:00; reply `yes` to change.',
  },
  {
    category: 'pets',
    ask: 'Kann ich mit zwei Katzen von Rosslare nach Bilbao fahren, und was brauchen sie?',
    tool: 'get_pet_places',
    found: { route: 'Rosslare–Bilbao', pet_cabins_free: 3, kennels_free: 0 },
    answer:
      'Ja, gern. Beide Katzen können **in einer Haustierkabine** mit Ihnen reisen; drei sind noch frei (Regel 3).\n\nSie brauchen:\n\n1. einen EU-Heimtierausweis je Katze,\n2. eine gültige Tollwutimpfung (mindestens 21 Tage alt),\n3. einen Mikrochip.',
    next: 'Wie viel kostet die Kabine?',
    nextAnswer: 'Die Haustierkabine kostet **€135** für die ganze Überfahrt, für zwei Personen und zwei Tiere.',
  },
  {
    category: 'group',
    ask: 'We are 24 pupils and 2 teachers. How do we book, and until when do you need the names?',
    tool: 'get_group_offer',
    found: { people: 26, route: 'Piraeus–Chania', eur_per_person: 31.5, free_places: 1 },
    answer:
      'As a group (rule 6) you pay **€31.50 each**, and one teacher travels free: **€787.50** in all. One of you is the contact and gets one invoice; the names are due **three days before departure**.\n\nHere is what to send us:\n\n```json\n{ "contact": "name and phone", "people": 26, "names_by": "2026-12-04" }\n```',
    next: 'Two pupils use a wheelchair. Is that a problem?',
    nextAnswer:
      'Not at all. Help on board is free (rule 7): please write to us **48 hours before**, with the kind of the wheelchairs. There are lifts to every deck on that ship.',
  },
];

export const FAILURES = [
  '429 rate_limit_exceeded: Rate limit reached for requests per minute. Please try again in 1.2s.',
  "400 context_length_exceeded: This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.",
  '529 overloaded_error: Overloaded',
  'TimeoutError: get_booking did not answer within 10000 ms',
];

export const INCIDENT_REPORT = `# Incident HF-2214: bookings were slow for 41 minutes

**Severity** 2 · **Began** 09:12 · **Ended** 09:53 · **Customers who saw errors** 1,204

## What happened
The release of 09:10 added a query without an index to the page of a booking. At the load of a Monday morning it kept
all 40 connections to the database busy; searches for sailings waited behind them.

| minute | p95 of a search | errors a minute |
| ---: | ---: | ---: |
| 09:05 | 180 ms | 0 |
| 09:20 | 4,900 ms | 31 |
| 09:40 | 7,200 ms | 88 |
| 09:55 | 190 ms | 0 |

## What mended it
\`\`\`sql
CREATE INDEX CONCURRENTLY bookings_by_contact ON bookings (contact_email, departs_at);
\`\`\`

## What we change
1. A query that takes longer than 200 ms in staging fails the release.
2. Searches have connections of their own.
3. The page says that it is slow **before** people reload it.`;

export const PATCH = `--- a/src/pricing/length.ts
+++ b/src/pricing/length.ts
@@ -14,7 +14,8 @@ export function vehicleLength(vehicle: Vehicle): number {
-  return vehicle.length;
+  const carrier = vehicle.carrier ? vehicle.carrier.depth : 0;
+  return vehicle.length + carrier;
 }`;
