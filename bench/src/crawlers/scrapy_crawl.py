# One crawl with Scrapy; prints its figures as JSON. Everything that only costs time is off; nothing is stored.
import json
import resource
import sys
import time

from scrapy import Spider, signals
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

task = json.loads(sys.argv[1])
figures = {"pages": 0, "links": 0}
extractor = LinkExtractor()


class SiteSpider(Spider):
    name = "site"
    start_urls = [task["origin"] + "/"]

    def parse(self, response):
        figures["pages"] += 1
        links = extractor.extract_links(response)
        figures["links"] += len(links)
        for link in links:
            yield response.follow(link)


settings = {
    "CONCURRENT_REQUESTS": task["concurrency"],
    "CONCURRENT_REQUESTS_PER_DOMAIN": task["concurrency"],
    "LOG_LEVEL": "CRITICAL" if task.get("retries") else "WARNING",
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": bool(task.get("retries")),
    "RETRY_TIMES": task.get("retries", 0),
    "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
    "TELNETCONSOLE_ENABLED": False,
    "AUTOTHROTTLE_ENABLED": False,
    "CLOSESPIDER_PAGECOUNT": task.get("maxPages", 0),
}
process = CrawlerProcess(settings)
crawler = process.create_crawler(SiteSpider)


def opened():
    figures["started"] = time.monotonic()


def closed():
    figures["ms"] = (time.monotonic() - figures.pop("started")) * 1000


crawler.signals.connect(opened, signal=signals.spider_opened)
crawler.signals.connect(closed, signal=signals.spider_closed)
process.crawl(crawler)
process.start()
usage = resource.getrusage(resource.RUSAGE_SELF)
figures["cpuSeconds"] = usage.ru_utime + usage.ru_stime
figures["peakMb"] = usage.ru_maxrss / 1000
print(json.dumps(figures))
