// Late orders of a month: orders.ts without its types, to tell what stripping them costs.
var Severity;
(function (Severity) {
  Severity[(Severity['None'] = 0)] = 'None';
  Severity[(Severity['Minor'] = 1)] = 'Minor';
  Severity[(Severity['Major'] = 10)] = 'Major';
  Severity[(Severity['Critical'] = 11)] = 'Critical';
})(Severity || (Severity = {}));

const DAY = 86_400_000;
const RATES = { EUR: 1, USD: 0.92, NOK: 0.085 };

function days(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}

function severity(late) {
  if (late <= 0) return Severity.None;
  return late < 3 ? Severity.Minor : late < 14 ? Severity.Major : Severity.Critical;
}

function toEuro({ amount, currency }) {
  return { amount: Math.round(amount * RATES[currency] * 100) / 100, currency: 'EUR' };
}

function isLate(order) {
  return typeof order.delivered === 'string' && days(order.promised, order.delivered) > 0;
}

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const at = key(item);
    (groups.get(at) ?? groups.set(at, []).get(at)).push(item);
  }
  return groups;
}

class Report {
  lines = [];
  constructor(title, limit = 5) {
    this.title = title;
    this.limit = limit;
  }

  add(name, entry) {
    if (this.lines.length < this.limit) {
      this.lines.push(`${name}: ${entry.orders} late, ${entry.days} days, ${entry.total.amount.toFixed(2)}`);
    }
    return this;
  }

  get text() {
    return [this.title, ...this.lines].join('\n');
  }
}

const orders = Array.from({ length: 40 }, (_, n) => ({
  id: `order-${n}`,
  customer: { id: n % 7, name: `Customer ${n % 7}` },
  total: { amount: 100 + n * 3.5, currency: ['EUR', 'USD', 'NOK'][n % 3] },
  placed: '2026-01-05',
  promised: '2026-01-12',
  delivered: n % 4 === 0 ? null : `2026-01-${String(10 + (n % 19)).padStart(2, '0')}`,
  tags: n % 2 ? ['gift'] : [],
}));

const summary = {};
for (const [name, late] of groupBy(orders.filter(isLate), (order) => order.customer.name)) {
  const delays = late.map((order) => days(order.promised, order.delivered));
  const amount = late.reduce((sum, order) => sum + toEuro(order.total).amount, 0);
  summary[name] = {
    orders: late.length,
    days: delays.reduce((a, b) => a + b, 0),
    total: { amount, currency: 'EUR' },
    worst: Math.max(...delays.map(severity)),
  };
}

const report = new Report('Late orders');
for (const name of Object.keys(summary).sort()) report.add(name, summary[name]);
({ text: report.text, critical: Object.values(summary).filter((s) => s.worst === Severity.Critical).length });
